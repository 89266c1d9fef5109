package io.weir.quota;

import java.util.Comparator;

/** One account: a quota's name and a key, as the database has them. Ordered as accounts are created. */
record Spot(String quota, String holder) implements Comparable<Spot> {

    private static final Comparator<Spot> ORDER =
            Comparator.comparing(Spot::quota).thenComparing(Spot::holder);

    static Spot of(Charge charge) {
        return new Spot(charge.quota().name(), StoredText.of(charge.key()));
    }

    @Override
    public int compareTo(Spot other) {
        return ORDER.compare(this, other);
    }
}
