package io.weir.quota;

/** Amounts whose sum is more than {@link Long#MAX_VALUE}. Nothing was moved. */
public final class AmountOverflowException extends ArithmeticException {

    private static final long serialVersionUID = 1;

    AmountOverflowException(String message) {
        super(message);
    }
}
