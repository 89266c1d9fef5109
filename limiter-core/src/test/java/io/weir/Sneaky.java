package io.weir;

/** Throws checked exceptions that the compiler does not know of, as other languages of the JVM do. */
final class Sneaky {

    private Sneaky() {}

    /** Never returns; a caller throws what it returns, for the compiler to see where it ends. */
    static RuntimeException thrown(Exception checked) {
        return Sneaky.<RuntimeException>throwAs(checked);
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // which is how it is done
    private static <T extends Exception> T throwAs(Exception checked) throws T {
        throw (T) checked;
    }
}
