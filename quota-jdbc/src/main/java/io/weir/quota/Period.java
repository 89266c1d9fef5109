package io.weir.quota;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.MonthDay;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.time.zone.ZoneOffsetTransition;
import org.jspecify.annotations.Nullable;

/**
 * When a quota resets: at the start of each hour, or of the day on which each day, week, month or year starts, by the clocks of a time
 * zone. Every reset is computed from the anchor and never from the reset before, so that a month that starts on the 31st starts on the 28th
 * in February, and on the 31st again in March.
 *
 * <p>A day starts with its first instant: at the end of the gap if clocks skip midnight, and at the first of two midnights if they
 * show it twice. A day that a zone leaves out is no period. Where clocks change by whole hours each hour is a period, also the
 * one that is there twice; a change by part of an hour ends one period and starts another.
 *
 * @param unit how long a period is
 * @param zone whose clocks count
 * @param anchorMonth of a year, the month it starts in, 1 to 12; else 0
 * @param anchorDay of a week, the day it starts on, 1 (Monday) to 7; of a month or a year, the day of the month, 1 to 31, or the last one
 *     of a month that is shorter; else 0
 */
public record Period(Unit unit, ZoneId zone, int anchorMonth, int anchorDay) {

    private static final long HOUR_SECONDS = Duration.ofHours(1).toSeconds();

    /** How long a period is. */
    public enum Unit {
        /** An hour on the clock. */
        HOUR,
        /** A day of the calendar. */
        DAY,
        /** Seven days. */
        WEEK,
        /** A month, from its anchor day to the next. */
        MONTH,
        /** A year, from its anchor day to the next. */
        YEAR
    }

    /** Refuses an anchor that the unit does not have. */
    public Period {
        int days = switch (unit) {
            case HOUR, DAY -> 0;
            case WEEK -> 7;
            case MONTH, YEAR -> 31;
        };
        if (anchorDay < Math.min(1, days) || anchorDay > days) {
            throw new IllegalArgumentException("anchorDay of a " + unit + " must be "
                    + (days == 0 ? "0, which stands for none" : "1 to " + days) + ", and is " + anchorDay);
        }
        int months = unit == Unit.YEAR ? 12 : 0;
        if (anchorMonth < Math.min(1, months) || anchorMonth > months) {
            throw new IllegalArgumentException("anchorMonth of a " + unit + " must be "
                    + (months == 0 ? "0, which stands for none" : "1 to 12") + ", and is " + anchorMonth);
        }
        if (unit == Unit.YEAR) {
            MonthDay.of(anchorMonth, anchorDay); // refuses 31 April, by name
        }
    }

    /** Hours of the clocks of {@code zone}. */
    public static Period hour(ZoneId zone) {
        return new Period(Unit.HOUR, zone, 0, 0);
    }

    /** Days of the calendar in {@code zone}. */
    public static Period day(ZoneId zone) {
        return new Period(Unit.DAY, zone, 0, 0);
    }

    /** Weeks that start on {@code first}. */
    public static Period week(ZoneId zone, DayOfWeek first) {
        return new Period(Unit.WEEK, zone, 0, first.getValue());
    }

    /** Months of the calendar. */
    public static Period month(ZoneId zone) {
        return month(zone, 1);
    }

    /**
     * Months that start on a day of their own.
     *
     * @param anchorDay 1 to 31; a month without that day starts on its last
     */
    public static Period month(ZoneId zone, int anchorDay) {
        return new Period(Unit.MONTH, zone, 0, anchorDay);
    }

    /** Years that start on {@code anchor}; on 28 February for 29 February, in years that have none. */
    public static Period year(ZoneId zone, MonthDay anchor) {
        return new Period(Unit.YEAR, zone, anchor.getMonthValue(), anchor.getDayOfMonth());
    }

    /** The period that {@code instant} is in. The instant of a reset is in the period that starts with it. */
    public Window windowAt(Instant instant) {
        return unit == Unit.HOUR ? hourAt(instant) : daysAt(instant);
    }

    /*
     * By instants and not by dates alone: where clocks are set back over midnight, from 00:30 to 23:30, the new day has begun
     * already when the old date is shown again.
     */
    private Window daysAt(Instant instant) {
        LocalDate from = first(instant.atZone(zone).toLocalDate());
        while (instant.isBefore(startOf(from))) {
            from = first(from.minusDays(1));
        }
        LocalDate to = next(from);
        while (!instant.isBefore(startOf(to))) {
            from = to;
            to = next(from);
        }
        return new Window(startOf(from), startOf(to));
    }

    private Instant startOf(LocalDate date) {
        return date.atStartOfDay(zone).toInstant();
    }

    /** The first day of the period that {@code date} is in. */
    private LocalDate first(LocalDate date) {
        return switch (unit) {
            case HOUR, DAY -> date;
            case WEEK -> date.with(TemporalAdjusters.previousOrSame(DayOfWeek.of(anchorDay)));
            case MONTH -> {
                LocalDate anchor = anchorIn(YearMonth.from(date));
                yield anchor.isAfter(date) ? anchorIn(YearMonth.from(date).minusMonths(1)) : anchor;
            }
            case YEAR -> {
                LocalDate anchor = MonthDay.of(anchorMonth, anchorDay).atYear(date.getYear());
                yield anchor.isAfter(date) ? MonthDay.of(anchorMonth, anchorDay).atYear(date.getYear() - 1) : anchor;
            }
        };
    }

    /** The first day of the period after the one that starts on {@code first}. */
    private LocalDate next(LocalDate first) {
        return switch (unit) {
            case HOUR, DAY -> first.plusDays(1);
            case WEEK -> first.plusWeeks(1);
            case MONTH -> anchorIn(YearMonth.from(first).plusMonths(1));
            case YEAR -> MonthDay.of(anchorMonth, anchorDay).atYear(first.getYear() + 1);
        };
    }

    private LocalDate anchorIn(YearMonth month) {
        return month.atDay(Math.min(anchorDay, month.lengthOfMonth()));
    }

    private Window hourAt(Instant instant) {
        long offset = zone.getRules().getOffset(instant).getTotalSeconds();
        long local = instant.getEpochSecond() + offset;
        Instant start = Instant.ofEpochSecond(Math.floorDiv(local, HOUR_SECONDS) * HOUR_SECONDS - offset);
        Instant end = start.plus(1, ChronoUnit.HOURS);
        @Nullable ZoneOffsetTransition before = zone.getRules().previousTransition(instant.plusNanos(1));
        if (before != null && movesTheHours(before) && before.getInstant().isAfter(start)) {
            start = before.getInstant();
        }
        @Nullable ZoneOffsetTransition after = zone.getRules().nextTransition(instant);
        if (after != null && movesTheHours(after) && after.getInstant().isBefore(end)) {
            end = after.getInstant();
        }
        return new Window(start, end);
    }

    private static boolean movesTheHours(ZoneOffsetTransition transition) {
        return transition.getDuration().toSeconds() % HOUR_SECONDS != 0;
    }
}
