package io.weir.quota;

/**
 * Where a ledger reports what it does. {@link MicrometerQuotaMeters} is the one that comes along. Called on the thread that asks: fast and
 * thread-safe. What it throws is logged, once. It is never told a key.
 */
public interface QuotaMeters {

    /** Reports to nobody. */
    QuotaMeters NONE = new QuotaMeters() {
        @Override
        public void decided(Quota quota, Outcome outcome) {}

        @Override
        public void storeAsked(boolean answered, long nanos) {}
    };

    /** What became of a spend or a reservation. */
    enum Outcome {
        /** There was room. */
        GRANTED,
        /** There is none until the reset. */
        DENIED,
        /** It is more than the cap and all credit. */
        NEVER,
        /** It got the answer that it had got before. */
        REPLAYED,
        /** The failure policy let it pass. */
        POLICY_GRANTED,
        /** The failure policy did not. */
        POLICY_DENIED
    }

    /** A spend or a reservation was decided; told once for each of its charges. */
    void decided(Quota quota, Outcome outcome);

    /**
     * The database was asked.
     *
     * @param answered whether it answered by the deadline
     * @param nanos how long the caller waited
     */
    void storeAsked(boolean answered, long nanos);
}
