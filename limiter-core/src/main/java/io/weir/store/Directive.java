package io.weir.store;

import io.weir.algorithm.Penalty;
import io.weir.algorithm.Rule;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One instruction that every node is to know, as it was last set: the numbers of a limit, the numbers of one of its keys, or
 * that a key is blocked. Immutable.
 *
 * <p>A directive is replaced by one of the same {@link Id} and a higher version, and by no other. One that was withdrawn stays
 * as {@link Withdrawn}, so that a node that had not heard of it does not bring it back.
 *
 * @param id what it is about
 * @param version rises with every change of what {@code id} says; 1 or more
 * @param content what it says
 * @param actor who set it, for a person to read: at most {@value #MAX_ACTOR} characters, any text
 * @param setMillis when, in milliseconds since 1970 as the store has it
 */
public record Directive(Id id, long version, Content content, String actor, long setMillis) {

    /** The longest {@link #actor}, in UTF-16 characters. */
    public static final int MAX_ACTOR = 100;

    /** The longest {@link Block#reason}, in UTF-16 characters. */
    public static final int MAX_REASON = 200;

    /** The highest {@link Block#level}: one million. */
    public static final int MAX_LEVEL = 1_000_000;

    /** In place of a limit's name in the {@link Id} of a block: under every limit. */
    public static final String EVERY_LIMIT = "*";

    private static final Pattern LIMIT = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    /**
     * Checks that the parts belong together.
     *
     * @throws IllegalArgumentException naming the part that does not
     */
    public Directive {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(content, "content");
        if (version < 1) {
            throw new IllegalArgumentException("version of a directive must be at least 1 but is " + version);
        }
        if (!(content instanceof Withdrawn) && kindOf(content) != id.kind()) {
            throw new IllegalArgumentException("a directive about " + id.kind() + " cannot say " + content);
        }
        if (content instanceof Definition definition && definition.rule().version() != version) {
            throw new IllegalArgumentException("a definition's version is that of its rule, "
                    + definition.rule().version() + ", but is " + version);
        }
        actor = text(MAX_ACTOR, "actor", actor);
    }

    /** What a directive is about. There is one of each. */
    public enum Kind {
        /** A limit's numbers. */
        DEFINITION,
        /** The numbers of one key under a limit. */
        OVERRIDE,
        /** A key that is denied. */
        BLOCK
    }

    /**
     * What a directive is about: of two with the same, the one with the higher version counts.
     *
     * @param kind what sort of thing it says
     * @param limit the limit's name; of a block also {@link #EVERY_LIMIT}
     * @param key the key as {@link StoredKey#wellFormed} has it; empty for a definition
     */
    public record Id(Kind kind, String limit, String key) {

        /**
         * Checks the parts.
         *
         * @throws IllegalArgumentException naming the one that is wrong
         */
        public Id {
            Objects.requireNonNull(kind, "kind");
            boolean every = kind == Kind.BLOCK && limit.equals(EVERY_LIMIT);
            if (!every && !LIMIT.matcher(limit).matches()) {
                throw new IllegalArgumentException("limit must be 1 to 64 of A-Z a-z 0-9 . _ - but has "
                        + limit.length() + " characters, or others");
            }
            if (key.length() > StoredKey.MAX_LITERAL_LENGTH + 1) {
                throw new IllegalArgumentException("key of a directive must be in its stored form, of at most "
                        + (StoredKey.MAX_LITERAL_LENGTH + 1) + " characters, but has " + key.length());
            }
            if (kind == Kind.DEFINITION && !key.isEmpty()) {
                throw new IllegalArgumentException("a definition is about a limit and has no key");
            }
        }

        /** Of a limit's numbers. */
        public static Id ofDefinition(String limit) {
            return new Id(Kind.DEFINITION, limit, "");
        }

        /** Of a key's numbers. */
        public static Id ofOverride(String limit, String key) {
            return new Id(Kind.OVERRIDE, limit, StoredKey.wellFormed(key));
        }

        /** Of a block, under one limit or {@link #EVERY_LIMIT}. */
        public static Id ofBlock(String limit, String key) {
            return new Id(Kind.BLOCK, limit, StoredKey.wellFormed(key));
        }
    }

    /** What a directive says. */
    public sealed interface Content {}

    /**
     * The numbers of a limit, and all else that it takes to make one.
     *
     * @param rule how it counts; its version is the directive's
     * @param failurePolicy the name of what answers when the owner cannot be reached
     * @param deadlineNanos how long a decision may take, more than zero
     * @param exact whether every grant is decided by the bucket itself
     * @param debt how far below zero a settlement may bring a balance, zero or more
     * @param shadow whether it only reports what it would decide
     * @param shadowOf the limit that it is asked beside, or null
     * @param penalty what becomes of keys that are denied again and again, or null
     */
    public record Definition(
            Rule rule,
            String failurePolicy,
            long deadlineNanos,
            boolean exact,
            long debt,
            boolean shadow,
            @Nullable String shadowOf,
            @Nullable Penalty penalty)
            implements Content {

        /** Of a limit that is enforced, allows no debt and does not punish. */
        public Definition(Rule rule, String failurePolicy, long deadlineNanos, boolean exact) {
            this(rule, failurePolicy, deadlineNanos, exact, 0, false, null, null);
        }

        /**
         * Checks the deadline.
         *
         * @throws IllegalArgumentException if it is not positive
         */
        public Definition {
            Objects.requireNonNull(rule, "rule");
            Objects.requireNonNull(failurePolicy, "failurePolicy");
            if (deadlineNanos <= 0) {
                throw new IllegalArgumentException("deadline must be more than zero but is " + deadlineNanos + " ns");
            }
        }
    }

    /**
     * The numbers of one key, instead of its limit's.
     *
     * @param rule how the key counts; its version says nothing, the directive's does
     */
    public record KeyNumbers(Rule rule) implements Content {

        /** Checks that there is a rule. */
        public KeyNumbers {
            Objects.requireNonNull(rule, "rule");
        }
    }

    /**
     * A key is denied, whatever its balance.
     *
     * @param endMillis until when, in milliseconds since 1970 as the store has it. It says nothing any more from then on
     * @param reason why, for a person to read: at most {@value #MAX_REASON} characters, any text
     * @param level which cool-down in a row it is, 1 to {@value #MAX_LEVEL}, if it is a {@linkplain Penalty penalty}; zero if somebody set it
     * @param forgivenMillis until when the level counts: then the next cool-down is a first one. The end of a block that is no penalty
     */
    public record Block(long endMillis, String reason, int level, long forgivenMillis) implements Content {

        /** A block that is no penalty. */
        public Block(long endMillis, String reason) {
            this(endMillis, reason, 0, endMillis);
        }

        /**
         * Checks the parts.
         *
         * @throws IllegalArgumentException naming the one that is wrong
         */
        public Block {
            if (level < 0 || level > MAX_LEVEL) {
                throw new IllegalArgumentException("level of a block must be 0 to " + MAX_LEVEL + " but is " + level);
            }
            if (level == 0 ? forgivenMillis != endMillis : forgivenMillis < endMillis) {
                throw new IllegalArgumentException("a block of level " + level + " that ends at " + endMillis
                        + " cannot be forgiven at " + forgivenMillis);
            }
            reason = text(MAX_REASON, "reason", reason);
        }
    }

    /** It does not say anything any more. */
    public record Withdrawn() implements Content {}

    /** Whether it has been withdrawn. */
    public boolean isWithdrawn() {
        return content instanceof Withdrawn;
    }

    /** Whether it is a block that is over. */
    public boolean hasEnded(long nowMillis) {
        return content instanceof Block block && block.endMillis() <= nowMillis;
    }

    /** Whether it is a block that is over, and no penalty that has yet to be forgiven: nobody has to know of it. */
    public boolean isOver(long nowMillis) {
        return content instanceof Block block && block.forgivenMillis() <= nowMillis;
    }

    /** Whether it is a cool-down, also if that has ended. */
    public boolean isPenalty() {
        return content instanceof Block block && block.level() > 0;
    }

    private static Kind kindOf(Content content) {
        if (content instanceof Definition) {
            return Kind.DEFINITION;
        }
        return content instanceof KeyNumbers ? Kind.OVERRIDE : Kind.BLOCK;
    }

    /** Lone surrogates become question marks, as they would on the way to another node. */
    private static String text(int most, String what, String text) {
        if (text.length() > most) {
            throw new IllegalArgumentException(
                    what + " must have at most " + most + " characters but has " + text.length());
        }
        return StoredKey.isWellFormed(text)
                ? text
                : new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }
}
