package io.weir.spring;

import io.weir.FailurePolicy;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * One quota.
 *
 * @param cap How much a key may spend in a period, in the smallest unit, zero or more. Required.
 * @param unit What is counted, for people: tokens, cents. Units unless set.
 * @param period When it resets: hour, day, week, month or year. Required.
 * @param zone By the clocks of which time zone, such as Europe/Berlin. Required: what a day is, is not left to where a node runs.
 * @param anchor What a period starts on: of a week the day, monday unless set; of a month its day, 1 unless set; of a year month and day, 01-01
 *     unless set. An hour and a day have none.
 * @param debt How far over the cap a settlement may go that costs more than was estimated: 0 unless set.
 * @param failurePolicy What answers when the database has not by the deadline: deny unless set, or grant.
 */
record QuotaProperties(
        @Nullable Long cap,
        @DefaultValue("units") String unit,
        @Nullable Unit period,
        @Nullable ZoneId zone,
        @Nullable String anchor,
        @DefaultValue("0") long debt,
        @DefaultValue("deny") FailurePolicy failurePolicy) {

    /** How long a period is. Not that of quotas, which an application may be without. */
    enum Unit {
        /** An hour on the clock. */
        HOUR,
        /** A day of the calendar. */
        DAY,
        /** Seven days. */
        WEEK,
        /** A month. */
        MONTH,
        /** A year. */
        YEAR
    }
}
