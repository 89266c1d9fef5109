package io.weir.http;

import java.util.List;
import java.util.Optional;

/** Keys that are taken as they are found: equal where they read the same, so that it can be told when one pays twice. */
sealed interface PlainKey extends KeyResolver {

    /** The first line of a header field. */
    record OfField(String name) implements PlainKey {
        @Override
        public Optional<String> resolve(IncomingRequest request) {
            List<String> lines = request.field(name);
            return lines.isEmpty() ? Optional.empty() : Optional.of(lines.get(0));
        }
    }

    /** The name of the user. */
    record OfPrincipal() implements PlainKey {
        @Override
        public Optional<String> resolve(IncomingRequest request) {
            return request.principal();
        }

        @Override
        public boolean needsAuthentication() {
            return true;
        }
    }

    /** The same for all. */
    record Fixed(Optional<String> key) implements PlainKey {
        @Override
        public Optional<String> resolve(IncomingRequest request) {
            return key;
        }
    }
}
