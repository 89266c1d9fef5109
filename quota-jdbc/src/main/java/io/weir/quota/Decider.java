package io.weir.quota;

import io.weir.algorithm.Verdict;
import io.weir.quota.Change.Movement;
import io.weir.quota.QuotaDecision.Source;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a step does to the accounts that were loaded for it. Pure, apart from the accounts, which are of this one decision: it reads no
 * clock, and stores nothing.
 */
final class Decider {

    private final Step step;
    private final Loaded loaded;
    private final List<Balance> balances = new ArrayList<>();
    private boolean replay;
    private @Nullable Instant expiresAt;

    private Decider(Step step, Loaded loaded) {
        this.step = step;
        this.loaded = loaded;
    }

    static Decided decide(Step step, Loaded loaded) {
        loaded.accounts().values().forEach(Account::expire);
        return new Decider(step, loaded).decide();
    }

    private Decided decide() {
        return switch (step.kind()) {
            case SPEND, RESERVE -> wasDone() ? done() : takeAll();
            case REFUND -> wasDone() ? done() : refundAll();
            case CREDIT, SET_CAP, REMOVE_CAP -> wasDone() ? done() : administerAll();
            case SETTLE -> settleAll();
            case RELEASE -> releaseAll();
            case EXTEND -> extendAll();
            case UNDO -> undoAll();
        };
    }

    /** Whether this very request was answered before: then its answer is here. One charge tells for all, since they are stored together. */
    private boolean wasDone() {
        boolean found = false;
        boolean mine = false;
        for (Charge each : step.charges()) {
            Account account = loaded.account(each);
            Operation first = first(account);
            if (first == null) {
                continue;
            }
            if (!first.request().equals(step.request(each))) {
                throw new IdempotencyConflictException(step.key().stored(), first.request(), step.request(each));
            }
            found = true;
            mine |= first.attempt().equals(step.attempt());
        }
        if (!found) {
            return false;
        }
        replay = !mine;
        for (Charge each : step.charges()) {
            Account account = loaded.account(each);
            Operation first = first(account);
            if (first == null) { // cleaned up before the others
                balances.add(account.balance(each, window(each), 0));
                continue;
            }
            balances.add(Answers.balance(each, first.answer()));
            expiresAt = Answers.expiresAt(first.answer());
            if (replay && !first.confirmed()) {
                account.add(new Change.OperationConfirmed(account.spot(), first.key()));
            }
        }
        return true;
    }

    /** What is remembered under the step's key; null if nothing is. */
    private @Nullable Operation first(Account account) {
        Operation first = account.operation(step.key().stored());
        return first == null || first.isUndone() ? null : first;
    }

    private Decided takeAll() {
        List<Charge> denied = new ArrayList<>();
        List<Decided.Known> known = new ArrayList<>();
        boolean never = false;
        Instant resetsAt = null;
        for (Charge each : step.charges()) {
            Account account = loaded.account(each);
            Window window = window(each);
            long room = account.room(each.quota(), window);
            if (each.amount() > room) {
                denied.add(each);
                never |= each.amount() > Amounts.add("cap and credit", account.cap(each.quota()), account.credit());
                resetsAt = resetsAt == null || window.end().isAfter(resetsAt) ? window.end() : resetsAt;
            }
            known.add(new Decided.Known(
                    account.spot(),
                    account.balance(each, window, 0),
                    room,
                    loaded.now(),
                    earlier(window.end(), account.nextExpiry()),
                    account.raised()));
        }
        if (denied.isEmpty()) {
            step.charges().forEach(this::take);
            return done();
        }
        for (Charge each : step.charges()) {
            balances.add(loaded.account(each).balance(each, window(each), 0));
        }
        return new Decided(
                new QuotaDecision(
                        never ? Verdict.NEVER : Verdict.DENIED,
                        Source.LEDGER,
                        false,
                        balances,
                        denied,
                        never ? null : resetsAt,
                        null,
                        null),
                changes(),
                known);
    }

    private void take(Charge charge) {
        Account account = loaded.account(charge);
        Window window = window(charge);
        List<Part> parts = account.take(charge.amount(), account.cap(charge.quota()), window);
        String id = step.key().stored();
        if (step.ttl() == null) {
            account.spend(parts, window, Movement.Kind.SPEND, id, null);
        } else {
            expiresAt = Micros.truncate(loaded.now().plus(step.ttl()));
            account.hold(new Held(id, Held.State.OPEN, charge.amount(), 0, 0, window, expiresAt, parts, null), id);
        }
        remember(charge, account, window, parts);
    }

    private void remember(Charge charge, Account account, Window window, List<Part> parts) {
        Balance balance = account.balance(charge, window, 0);
        balances.add(balance);
        String id = step.key().stored();
        if (account.operation(id) != null) { // it was undone
            account.add(new Change.OperationRemoved(account.spot(), id));
        }
        account.add(new Change.OperationAdded(
                account.spot(),
                new Operation(
                        id,
                        step.request(charge),
                        step.attempt(),
                        charge.amount(),
                        0,
                        window,
                        parts,
                        Answers.encode(balance, expiresAt),
                        false,
                        loaded.now())));
    }

    private Decided refundAll() {
        String spend = Objects.requireNonNull(step.spend()).stored();
        List<Charge> tooMuch = new ArrayList<>();
        for (Charge each : step.charges()) {
            Operation spent = loaded.account(each).operation(spend);
            if (spent == null || !spent.request().startsWith(Step.Kind.SPEND.words())) {
                throw new UnknownOperationException("there is no spend under the key \"" + spend + "\" of quota "
                        + each.quota().name() + " for key \"" + StoredText.of(each.key()) + "\"");
            }
            if (each.amount() > spent.amount() - spent.refunded()) {
                tooMuch.add(each);
            }
        }
        if (!tooMuch.isEmpty()) {
            for (Charge each : step.charges()) {
                balances.add(loaded.account(each).balance(each, window(each), 0));
            }
            return new Decided(
                    new QuotaDecision(Verdict.NEVER, Source.LEDGER, false, balances, tooMuch, null, null, null),
                    changes(),
                    List.of());
        }
        for (Charge each : step.charges()) {
            Account account = loaded.account(each);
            Operation spent = Objects.requireNonNull(account.operation(spend));
            List<Part> back = Part.lastOf(spent.parts(), spent.refunded(), each.amount());
            account.refund(
                    back, spent.window(), Movement.Kind.REFUND, step.key().stored());
            account.add(new Change.OperationRefunded(account.spot(), spend, spent.refunded() + each.amount()));
            account.add(new Change.Raised(account.spot()));
            remember(each, account, spent.window(), back);
        }
        return done();
    }

    private Decided administerAll() {
        for (Charge each : step.charges()) {
            Account account = loaded.account(each);
            String id = step.key().stored();
            switch (step.kind()) {
                case CREDIT -> {
                    Instant until = Objects.requireNonNull(step.until());
                    long all = Amounts.add(
                            "cap and credit of quota " + each.quota().name(),
                            account.cap(each.quota()),
                            account.credit());
                    Amounts.add("cap and credit of quota " + each.quota().name(), all, each.amount());
                    account.loadCredit(id, each.amount(), 0, until);
                    account.add(new Change.CreditAdded(account.spot(), id, each.amount(), until));
                    account.note(Movement.Kind.CREDIT, each.amount(), id, null, id);
                    account.add(new Change.Raised(account.spot()));
                }
                case SET_CAP -> {
                    Amounts.add(
                            "cap and debt of quota " + each.quota().name(),
                            each.amount(),
                            each.quota().debt());
                    Amounts.add("cap and credit of quota " + each.quota().name(), each.amount(), account.credit());
                    account.ownCap(each.amount());
                    account.note(Movement.Kind.CAP, each.amount(), id, null, null);
                }
                default -> {
                    account.ownCap(null);
                    account.note(Movement.Kind.UNCAP, 0, id, null, null);
                }
            }
            remember(each, account, window(each), List.of());
        }
        return done();
    }

    private Decided settleAll() {
        List<Held> all = held();
        boolean settled = all.stream().anyMatch(each -> each.state() == Held.State.SETTLED);
        for (int i = 0; i < all.size(); i++) {
            Charge actual = step.charges().get(i);
            Held held = all.get(i);
            if (held.state() == Held.State.RELEASED
                    || (held.state() == Held.State.SETTLED && held.settled() != actual.amount())) {
                throw conflict(held, "settle " + actual.amount());
            }
            if (held.state() == Held.State.SETTLED) {
                balances.add(Answers.balance(actual, Objects.requireNonNull(held.answer())));
            } else {
                settle(actual, held);
            }
        }
        replay = settled;
        return done();
    }

    private void settle(Charge actual, Held held) {
        Account account = loaded.account(actual);
        long kept = held.state() == Held.State.OPEN ? Math.min(held.amount(), actual.amount()) : 0;
        if (held.state() == Held.State.OPEN) {
            long freed = held.amount() - kept;
            account.convert(held, Part.lastOf(held.parts(), freed, kept));
            account.free(held, Part.lastOf(held.parts(), 0, freed), Movement.Kind.RELEASE);
            if (freed > 0) {
                account.add(new Change.Raised(account.spot()));
            }
        }
        long limit = Amounts.add(
                "cap and debt of quota " + actual.quota().name(),
                account.cap(actual.quota()),
                actual.quota().debt());
        List<Part> more = account.take(actual.amount() - kept, limit, held.window());
        account.spend(more, held.window(), Movement.Kind.SETTLE, null, held.id());
        long charged = kept + more.stream().mapToLong(Part::amount).sum();
        Balance balance = account.balance(actual, held.window(), actual.amount() - charged);
        balances.add(balance);
        account.change(held.settled(actual.amount(), charged, Answers.encode(balance, null)));
    }

    private Decided releaseAll() {
        List<Held> all = held();
        replay = true;
        for (int i = 0; i < all.size(); i++) {
            Charge charge = step.charges().get(i);
            Account account = loaded.account(charge);
            Held held = all.get(i);
            if (held.state() == Held.State.SETTLED) {
                throw conflict(held, "release");
            }
            if (held.state() == Held.State.OPEN) {
                replay = false;
                account.free(held, held.parts(), Movement.Kind.RELEASE);
                account.change(held.in(Held.State.RELEASED));
                account.add(new Change.Raised(account.spot()));
            }
            balances.add(account.balance(charge, held.window(), 0));
        }
        return done();
    }

    private Decided extendAll() {
        Instant until = Objects.requireNonNull(step.until());
        List<Held> all = held();
        List<Charge> gone = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            Held held = all.get(i);
            switch (held.state()) {
                case SETTLED, RELEASED -> throw conflict(held, "extend");
                case EXPIRED -> gone.add(step.charges().get(i));
                case OPEN -> {}
            }
        }
        for (int i = 0; i < all.size(); i++) {
            Charge charge = step.charges().get(i);
            Account account = loaded.account(charge);
            Held held = all.get(i);
            balances.add(account.balance(charge, held.window(), 0));
            if (gone.isEmpty()) {
                expiresAt = held.expiresAt().isAfter(until) ? held.expiresAt() : until;
                if (until.isAfter(held.expiresAt())) {
                    account.change(held.until(until));
                    account.note(Movement.Kind.EXTEND, 0, null, held.id(), null);
                }
            }
        }
        if (gone.isEmpty()) {
            return done();
        }
        return new Decided(
                new QuotaDecision(Verdict.DENIED, Source.LEDGER, false, balances, gone, null, null, null),
                changes(),
                List.of());
    }

    /** Not what was never stored, nor what somebody was told is. */
    private Decided undoAll() {
        for (Charge each : step.charges()) {
            Account account = loaded.account(each);
            String id = step.key().stored();
            Operation mine = account.operation(id);
            if (mine != null && mine.attempt().equals(step.attempt()) && !mine.isUndone() && !mine.confirmed()) {
                Held held = account.held(id);
                if (held == null) {
                    // A refund that came before has given back its part of it.
                    List<Part> left = Part.lastOf(mine.parts(), mine.refunded(), mine.amount() - mine.refunded());
                    account.refund(left, mine.window(), Movement.Kind.UNDO, id);
                } else {
                    if (held.state() == Held.State.OPEN) {
                        account.free(held, held.parts(), Movement.Kind.UNDO);
                    }
                    account.add(new Change.HeldRemoved(account.spot(), id));
                }
                account.add(new Change.OperationRemoved(account.spot(), id));
                account.add(new Change.Raised(account.spot()));
                mine = null;
            }
            if (mine == null && step.ttl() == null) {
                account.add(new Change.OperationAdded(
                        account.spot(), Operation.undone(id, step.attempt(), window(each), loaded.now())));
            }
        }
        return done();
    }

    private List<Held> held() {
        List<Held> all = new ArrayList<>();
        for (Charge each : step.charges()) {
            Held held = loaded.account(each).held(step.key().stored());
            if (held == null) {
                throw new UnknownOperationException(
                        "there is no reservation \"" + step.key().stored() + "\" of quota "
                                + each.quota().name() + " for key \"" + StoredText.of(each.key()) + "\"");
            }
            all.add(held);
        }
        return all;
    }

    private IdempotencyConflictException conflict(Held held, String now) {
        String first = held.state() == Held.State.SETTLED ? "settle " + held.settled() : "release";
        return new IdempotencyConflictException(held.id(), first, now);
    }

    private Decided done() {
        return new Decided(
                new QuotaDecision(
                        Verdict.GRANTED,
                        Source.LEDGER,
                        replay,
                        balances,
                        List.of(),
                        null,
                        step.kind() == Step.Kind.RESERVE ? new Reservation(step.key(), step.charges()) : null,
                        expiresAt),
                changes(),
                List.of());
    }

    private List<Change> changes() {
        List<Change> changes = new ArrayList<>();
        for (Spot each : step.sortedSpots()) {
            Account account = loaded.accounts().get(each);
            if (account != null) {
                changes.addAll(account.changes());
            }
        }
        return changes;
    }

    private Window window(Charge charge) {
        return charge.quota().period().windowAt(loaded.now());
    }

    private static Instant earlier(Instant a, @Nullable Instant b) {
        return b == null || a.isBefore(b) ? a : b;
    }
}
