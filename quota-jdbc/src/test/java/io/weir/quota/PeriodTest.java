package io.weir.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.MonthDay;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class PeriodTest {

    private static final List<ZoneId> ZONES = List.of(
                    "UTC",
                    "Europe/Berlin",
                    "Europe/London",
                    "Europe/Dublin",
                    "America/New_York",
                    "America/Los_Angeles",
                    "America/Sao_Paulo",
                    "America/Santiago",
                    "America/Havana",
                    "America/St_Johns",
                    "America/Nuuk",
                    "Africa/Cairo",
                    "Africa/Casablanca",
                    "Asia/Tokyo",
                    "Asia/Beirut",
                    "Asia/Tehran",
                    "Asia/Kolkata",
                    "Australia/Lord_Howe",
                    "Pacific/Auckland",
                    "Pacific/Chatham")
            .stream()
            .map(ZoneId::of)
            .toList();
    private static final Instant FROM = Instant.parse("2024-01-01T00:00:00Z");
    private static final Instant TO = Instant.parse("2033-01-01T00:00:00Z");

    /** K-11. */
    @Test
    void clampsAnAnchorThatAMonthDoesNotHaveAndComesBack() {
        Period period = Period.month(ZoneId.of("UTC"), 31);
        List<String> resets = new ArrayList<>();
        Instant at = Instant.parse("2026-01-31T00:00:00Z");
        for (int i = 0; i < 6; i++) {
            at = period.windowAt(at).end();
            resets.add(at.toString().substring(0, 10));
        }
        assertThat(resets)
                .containsExactly("2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31", "2026-06-30", "2026-07-31");
        assertThat(period.windowAt(Instant.parse("2028-02-01T00:00:00Z")).end()).isEqualTo("2028-02-29T00:00:00Z");
    }

    @Test
    void agreesWithJavaTimeAroundEveryTransitionAndMonthEnd() {
        int transitions = 0;
        for (ZoneId zone : ZONES) {
            TreeSet<Instant> probes = new TreeSet<>();
            for (ZoneOffsetTransition each = zone.getRules().nextTransition(FROM);
                    each != null && each.getInstant().isBefore(TO);
                    each = zone.getRules().nextTransition(each.getInstant())) {
                transitions++;
                for (long minutes = -26 * 60; minutes <= 26 * 60; minutes += 30) {
                    probes.add(each.getInstant().plus(Duration.ofMinutes(minutes)));
                    probes.add(
                            each.getInstant().plus(Duration.ofMinutes(minutes)).minusNanos(1));
                }
            }
            for (YearMonth month = YearMonth.of(2024, 1);
                    month.isBefore(YearMonth.of(2033, 1));
                    month = month.plusMonths(1)) {
                for (int day : List.of(1, 28, month.lengthOfMonth())) {
                    Instant start = month.atDay(day).atStartOfDay(zone).toInstant();
                    probes.add(start);
                    probes.add(start.minusNanos(1));
                }
            }
            for (Instant probe : probes) {
                checkDay(zone, probe);
                for (int anchor : List.of(1, 15, 29, 30, 31)) {
                    checkMonth(zone, anchor, probe);
                }
                checkWeek(zone, probe);
                checkYear(zone, probe);
                checkHour(zone, probe);
            }
        }
        assertThat(transitions).isGreaterThan(200);
    }

    private static void checkDay(ZoneId zone, Instant at) {
        TreeSet<Instant> starts = new TreeSet<>();
        LocalDate date = at.atZone(zone).toLocalDate();
        for (int i = -2; i <= 3; i++) {
            starts.add(date.plusDays(i).atStartOfDay(zone).toInstant());
        }
        expect(Period.day(zone), at, starts);
    }

    private static void checkWeek(ZoneId zone, Instant at) {
        TreeSet<Instant> starts = new TreeSet<>();
        LocalDate date = at.atZone(zone).toLocalDate();
        for (LocalDate each = date.minusDays(15); each.isBefore(date.plusDays(16)); each = each.plusDays(1)) {
            if (each.getDayOfWeek() == DayOfWeek.WEDNESDAY) {
                starts.add(each.atStartOfDay(zone).toInstant());
            }
        }
        expect(Period.week(zone, DayOfWeek.WEDNESDAY), at, starts);
    }

    private static void checkMonth(ZoneId zone, int anchor, Instant at) {
        TreeSet<Instant> starts = new TreeSet<>();
        YearMonth month = YearMonth.from(at.atZone(zone));
        for (int i = -2; i <= 2; i++) {
            YearMonth each = month.plusMonths(i);
            LocalDate day = each.isValidDay(anchor) ? each.atDay(anchor) : each.atEndOfMonth();
            starts.add(day.atStartOfDay(zone).toInstant());
        }
        expect(Period.month(zone, anchor), at, starts);
    }

    private static void checkYear(ZoneId zone, Instant at) {
        TreeSet<Instant> starts = new TreeSet<>();
        int year = at.atZone(zone).getYear();
        for (int i = -2; i <= 2; i++) {
            LocalDate march = LocalDate.of(year + i, 3, 1);
            starts.add(march.minusDays(1).atStartOfDay(zone).toInstant());
        }
        expect(Period.year(zone, MonthDay.of(2, 29)), at, starts);
    }

    /** An hour starts wherever the minute of the clock is zero, or was moved off its grid. */
    private static void checkHour(ZoneId zone, Instant at) {
        Window window = Period.hour(zone).windowAt(at);
        assertThat(window.contains(at)).isTrue();
        assertThat(Duration.between(window.start(), window.end())).isLessThanOrEqualTo(Duration.ofHours(1));
        for (Instant each : List.of(window.start(), window.end())) {
            ZonedDateTime local = each.atZone(zone);
            boolean moved = zone.getRules().getOffset(each.minusNanos(1)).getTotalSeconds() % 3_600
                    != zone.getRules().getOffset(each).getTotalSeconds() % 3_600;
            assertThat(local.getMinute() == 0 || moved)
                    .as("%s in %s", each, zone)
                    .isTrue();
        }
        assertThat(Period.hour(zone).windowAt(window.end()).start()).isEqualTo(window.end());
        assertThat(Period.hour(zone).windowAt(window.end().minusNanos(1))).isEqualTo(window);
    }

    private static void expect(Period period, Instant at, NavigableSet<Instant> starts) {
        assertThat(period.windowAt(at))
                .as("%s at %s", period, at)
                .isEqualTo(new Window(starts.floor(at), starts.higher(at)));
    }

    @Test
    void leavesOutADayThatAZoneLeavesOut() {
        ZoneId apia = ZoneId.of("Pacific/Apia");
        Window last = Period.day(apia).windowAt(Instant.parse("2011-12-30T09:59:59Z"));
        assertThat(last.end()).isEqualTo("2011-12-30T10:00:00Z");
        assertThat(last.end().atZone(apia).toLocalDate()).isEqualTo("2011-12-31");
        assertThat(Period.day(apia).windowAt(last.end()).start()).isEqualTo(last.end());
    }

    @Test
    void refusesAnchorsThatTheUnitDoesNotHave() {
        ZoneId utc = ZoneId.of("UTC");
        assertThatThrownBy(() -> Period.month(utc, 32)).hasMessageContaining("32");
        assertThatThrownBy(() -> Period.month(utc, 0)).hasMessageContaining("0");
        assertThatThrownBy(() -> new Period(Period.Unit.DAY, utc, 0, 3)).hasMessageContaining("3");
        assertThatThrownBy(() -> new Period(Period.Unit.YEAR, utc, 13, 1)).hasMessageContaining("13");
    }
}
