package io.weir.demo;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What came back in one second of the load, as a line to be shown.
 *
 * @param number from 1 on
 * @param counts of each member, in this second alone
 * @param rate permits per second that the limit grants
 */
record Second(int number, List<Counts> counts, int rate) {

    @Override
    public String toString() {
        Counts all = Counts.sum(counts);
        String granted =
                counts.stream().map(member -> Long.toString(member.granted())).collect(Collectors.joining(" + "));
        String trouble = all.unavailable() + all.failed() == 0
                ? ""
                : "   unavailable " + all.unavailable() + "/s   failed " + all.failed() + "/s";
        return "%5d s   asked %d/s   granted %d/s (%s)   limit %d/s%s"
                .formatted(number, all.asked(), all.granted(), granted, rate, trouble);
    }
}
