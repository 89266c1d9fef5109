package io.weir.http;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.greenbytes.http.sfv.IntegerItem;
import org.greenbytes.http.sfv.Parametrizable;
import org.greenbytes.http.sfv.Parser;
import org.greenbytes.http.sfv.StringItem;

/** A member of a {@code RateLimit} or {@code RateLimit-Policy} field, as a parser of structured fields reads it that is not ours. */
record PolicyItem(String name, Map<String, Long> parameters) {

    /**
     * Reads a field.
     *
     * @throws IllegalArgumentException if it is not structured
     * @throws ClassCastException if it is no list of strings with integers as parameters
     */
    static List<PolicyItem> parse(String field) {
        return Parser.parseList(field).get().stream().map(PolicyItem::of).toList();
    }

    private static PolicyItem of(Parametrizable<?> member) {
        Map<String, Long> parameters = new LinkedHashMap<>();
        member.getParams().forEach((key, value) -> parameters.put(key, ((IntegerItem) value).get()));
        return new PolicyItem(((StringItem) member).get(), parameters);
    }
}
