package io.weir.quota;

import io.weir.quota.Change.Movement;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A statement that stores one change. The same in all dialects: the row is there, or not, as was seen under the account's lock, so that
 * nothing has to be inserted or updated depending on what is found.
 *
 * @param sql with a {@code ?} for each argument
 * @param arguments texts, numbers, truth values, instants, and null
 */
record Write(String sql, List<@Nullable Object> arguments) {

    private static Write of(String sql, @Nullable Object... arguments) {
        return new Write(sql, Arrays.asList(arguments));
    }

    /** Sets the arguments from index {@code first} on, and returns the index after them. */
    int bind(PreparedStatement statement, int first) throws SQLException {
        int index = first;
        for (Object each : arguments) {
            bind(statement, index++, each);
        }
        return index;
    }

    static void bind(PreparedStatement statement, int index, @Nullable Object argument) throws SQLException {
        if (argument instanceof String text) {
            statement.setString(index, text);
        } else if (argument instanceof Long number) {
            statement.setLong(index, number);
        } else if (argument instanceof Boolean truth) {
            statement.setBoolean(index, truth);
        } else if (argument instanceof Instant instant) {
            // Never java.sql.Timestamp, which the JVM's time zone would have a say in.
            statement.setObject(index, OffsetDateTime.ofInstant(instant, ZoneOffset.UTC));
        } else if (argument instanceof Null none) {
            statement.setNull(index, none.sqlType);
        } else {
            throw new IllegalArgumentException("no column holds " + argument);
        }
    }

    private enum Null {
        TEXT(Types.VARCHAR),
        NUMBER(Types.BIGINT),
        INSTANT(Types.TIMESTAMP_WITH_TIMEZONE);

        private final int sqlType;

        Null(int sqlType) {
            this.sqlType = sqlType;
        }

        Object or(@Nullable Object value) {
            return value == null ? this : value;
        }
    }

    /** An instant as an argument, which may be null. */
    static Object instantOrNull(@Nullable Instant instant) {
        return Null.INSTANT.or(instant);
    }

    static Write of(Change change) {
        if (change instanceof Change.PeriodMoved period) {
            return of(
                    "UPDATE weir_quota_period SET spent = spent + ?, reserved = reserved + ?,"
                            + " period_end = GREATEST(period_end, ?)"
                            + " WHERE quota = ? AND holder = ? AND period_start = ?",
                    period.spent(),
                    period.reserved(),
                    period.window().end(),
                    period.spot().quota(),
                    period.spot().holder(),
                    period.window().start());
        } else if (change instanceof Movement row) {
            return of(
                    "INSERT INTO weir_quota_ledger (at, quota, holder, period_start, kind, spent, reserved, amount,"
                            + " idempotency_key, reservation, credit) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    row.at(),
                    row.spot().quota(),
                    row.spot().holder(),
                    Null.INSTANT.or(row.periodStart()),
                    row.kind().name(),
                    row.spent(),
                    row.reserved(),
                    row.amount(),
                    Null.TEXT.or(row.key()),
                    Null.TEXT.or(row.reservation()),
                    Null.TEXT.or(row.credit()));
        } else if (change instanceof Change.PeriodAdded period) {
            return of(
                    "INSERT INTO weir_quota_period (spent, reserved, quota, holder, period_start, period_end)"
                            + " VALUES (?, ?, ?, ?, ?, ?)",
                    period.spent(),
                    period.reserved(),
                    period.spot().quota(),
                    period.spot().holder(),
                    period.window().start(),
                    period.window().end());
        }
        return change instanceof Change.OperationAdded
                        || change instanceof Change.OperationConfirmed
                        || change instanceof Change.OperationRefunded
                        || change instanceof Change.OperationRemoved
                ? ofOperation(change)
                : ofReservationOrAccount(change);
    }

    private static Write ofOperation(Change change) {
        String where = " WHERE quota = ? AND holder = ? AND idempotency_key = ?";
        if (change instanceof Change.OperationAdded added) {
            Operation row = added.operation();
            return of(
                    "INSERT INTO weir_quota_operation (quota, holder, idempotency_key, request, attempt, amount,"
                            + " period_start, period_end, parts, answer, created_at)"
                            + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    added.spot().quota(),
                    added.spot().holder(),
                    row.key(),
                    row.request(),
                    row.attempt(),
                    row.amount(),
                    row.window().start(),
                    row.window().end(),
                    Part.encode(row.parts()),
                    row.answer(),
                    row.createdAt());
        } else if (change instanceof Change.OperationConfirmed row) {
            return of(
                    "UPDATE weir_quota_operation SET confirmed = TRUE" + where,
                    row.spot().quota(),
                    row.spot().holder(),
                    row.key());
        } else if (change instanceof Change.OperationRefunded row) {
            return of(
                    "UPDATE weir_quota_operation SET refunded = ?" + where,
                    row.refunded(),
                    row.spot().quota(),
                    row.spot().holder(),
                    row.key());
        } else if (change instanceof Change.OperationRemoved row) {
            return of(
                    "DELETE FROM weir_quota_operation" + where,
                    row.spot().quota(),
                    row.spot().holder(),
                    row.key());
        }
        throw new IllegalArgumentException("no operation is changed by " + change);
    }

    private static Write ofReservationOrAccount(Change change) {
        String whereId = " WHERE quota = ? AND holder = ? AND id = ?";
        String where = " WHERE quota = ? AND holder = ?";
        if (change instanceof Change.HeldAdded added) {
            Held row = added.held();
            return of(
                    "INSERT INTO weir_quota_reservation (quota, holder, id, state, amount, settled, charged,"
                            + " period_start, period_end, expires_at, parts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    added.spot().quota(),
                    added.spot().holder(),
                    row.id(),
                    row.state().name(),
                    row.amount(),
                    row.settled(),
                    row.charged(),
                    row.window().start(),
                    row.window().end(),
                    row.expiresAt(),
                    Part.encode(row.parts()));
        } else if (change instanceof Change.HeldChanged changed) {
            Held row = changed.held();
            return of(
                    "UPDATE weir_quota_reservation SET state = ?, settled = ?, charged = ?, expires_at = ?, answer = ?"
                            + whereId,
                    row.state().name(),
                    row.settled(),
                    row.charged(),
                    row.expiresAt(),
                    Null.TEXT.or(row.answer()),
                    changed.spot().quota(),
                    changed.spot().holder(),
                    row.id());
        } else if (change instanceof Change.HeldRemoved row) {
            return of(
                    "DELETE FROM weir_quota_reservation" + whereId,
                    row.spot().quota(),
                    row.spot().holder(),
                    row.id());
        } else if (change instanceof Change.CreditAdded row) {
            return of(
                    "INSERT INTO weir_quota_credit (quota, holder, id, amount, used, expires_at)"
                            + " VALUES (?, ?, ?, ?, 0, ?)",
                    row.spot().quota(),
                    row.spot().holder(),
                    row.id(),
                    row.amount(),
                    row.expiresAt());
        } else if (change instanceof Change.CreditMoved row) {
            return of(
                    "UPDATE weir_quota_credit SET used = used + ?" + whereId,
                    row.used(),
                    row.spot().quota(),
                    row.spot().holder(),
                    row.id());
        } else if (change instanceof Change.Raised row) {
            return of(
                    "UPDATE weir_quota_account SET raised = raised + 1" + where,
                    row.spot().quota(),
                    row.spot().holder());
        } else if (change instanceof Change.CapChanged row) {
            return of(
                    "UPDATE weir_quota_account SET raised = raised + 1, cap = ?" + where,
                    Null.NUMBER.or(row.cap()),
                    row.spot().quota(),
                    row.spot().holder());
        }
        throw new IllegalArgumentException("nothing stores " + change);
    }
}
