package io.weir.algorithm;

/**
 * What becomes of a key's balance when the numbers of its limit change (I7). A bandwidth whose numbers stay the same keeps
 * its balance whatever the mode, so that to apply the same configuration again refills nothing.
 */
public enum CarryOver {
    /** The same part of the capacity, rounded against the caller: 2 of 5 become 4 of 10, and 8 of 10 become 4 of 5. The default. */
    PROPORTION,

    /** The same permits, but no more than the new capacity: 2 of 5 become 2 of 10, and 8 of 10 become 5 of 5. A debt stays. */
    AS_IS,

    /**
     * Full, and debts are forgiven. Only by a change that raises the version: where old and new numbers of one version take
     * turns during a roll-out, each turn would fill every key, and so they carry over in proportion.
     */
    RESET
}
