package io.weir.spring;

import io.weir.quota.Period;
import io.weir.quota.Quota;
import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.MonthDay;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;

/** From what is written beneath {@code weir.quotas} to quotas, or to a {@link Misconfiguration} that names the property. */
final class ConfiguredQuotas {

    private static final ConfigurationPropertyName QUOTAS =
            ConfigurationPropertyName.of(WeirProperties.PREFIX + ".quotas");

    private final Blame blame;

    private ConfiguredQuotas(Blame blame) {
        this.blame = blame;
    }

    static Quotas of(WeirProperties properties, Environment environment) {
        ConfiguredQuotas configured = new ConfiguredQuotas(new Blame(environment));
        List<Quota> quotas = new ArrayList<>();
        Map<String, QuotaProperties> read = properties.quotas();
        for (String name : WrittenNames.ofQuotas(environment).among(read.keySet())) {
            quotas.add(configured.quota(name, Objects.requireNonNull(read.get(name))));
        }
        return new Quotas(quotas);
    }

    private Quota quota(String name, QuotaProperties properties) {
        ConfigurationPropertyName where = QUOTAS.append(WrittenNames.element(name));
        Long cap = properties.cap();
        QuotaProperties.Unit unit = properties.period();
        ZoneId zone = properties.zone();
        if (cap == null) {
            throw blame.missing(where.append("cap"));
        }
        if (unit == null) {
            throw blame.missing(where.append("period"));
        }
        if (zone == null) {
            throw blame.missing(where.append("zone"));
        }
        Period period = blame.on(where.append("anchor"), () -> period(unit, zone, properties.anchor()));
        // One at a time, so that the property that is named is the one that is wrong.
        Quota.Builder any = Quota.named(name).cap(0).period(period);
        blame.on(where, "Choose another name for the quota.", any::build);
        blame.on(where.append("cap"), () -> Quota.named(name).cap(cap));
        blame.on(where.append("failure-policy"), any.onFailure(properties.failurePolicy())::build);
        Quota.Builder all = Quota.named(name)
                .cap(cap)
                .unit(properties.unit())
                .period(period)
                .debt(properties.debt())
                .onFailure(properties.failurePolicy());
        return blame.on(where.append("debt"), () -> withinBounds(all));
    }

    private static Quota withinBounds(Quota.Builder quota) {
        try {
            return quota.build();
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static Period period(QuotaProperties.Unit unit, ZoneId zone, @Nullable String anchor) {
        if (anchor != null && (unit == QuotaProperties.Unit.HOUR || unit == QuotaProperties.Unit.DAY)) {
            throw new IllegalArgumentException(
                    "a period of one " + unit.name().toLowerCase(Locale.ROOT) + " has no anchor");
        }
        return switch (unit) {
            case HOUR -> Period.hour(zone);
            case DAY -> Period.day(zone);
            case WEEK ->
                Period.week(
                        zone, anchor == null ? DayOfWeek.MONDAY : DayOfWeek.valueOf(anchor.toUpperCase(Locale.ROOT)));
            case MONTH -> Period.month(zone, anchor == null ? 1 : Integer.parseInt(anchor));
            case YEAR -> Period.year(zone, monthDay(anchor == null ? "01-01" : anchor));
        };
    }

    private static MonthDay monthDay(String anchor) {
        try {
            return MonthDay.parse("--" + anchor);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("that is no month and day", e);
        }
    }
}
