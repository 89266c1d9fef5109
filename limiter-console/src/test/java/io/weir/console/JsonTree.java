package io.weir.console;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON, read by a reader that is not ours: maps, lists, texts, numbers, truths and null. */
final class JsonTree {

    private final @Nullable Object value;

    private JsonTree(@Nullable Object value) {
        this.value = value;
    }

    static JsonTree of(byte[] json) {
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            parser.nextToken();
            JsonTree tree = new JsonTree(value(parser));
            if (parser.nextToken() != null) {
                throw new IllegalArgumentException("more follows");
            }
            return tree;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What a path of names and indexes leads to: {@code limits.list.0.name}. */
    JsonTree at(String path) {
        Object here = value;
        for (String step : path.split("\\.", -1)) {
            if (here instanceof Map<?, ?> map && map.containsKey(step)) {
                here = map.get(step);
            } else if (here instanceof List<?> list) {
                here = list.get(Integer.parseInt(step));
            } else {
                throw new IllegalArgumentException("there is no " + step + " of " + path + " in " + here);
            }
        }
        return new JsonTree(here);
    }

    List<JsonTree> list() {
        return ((List<?>) nonNull()).stream().map(JsonTree::new).toList();
    }

    String text() {
        return (String) nonNull();
    }

    double number() {
        return ((Number) nonNull()).doubleValue();
    }

    boolean truth() {
        return (Boolean) nonNull();
    }

    boolean isNull() {
        return value == null;
    }

    List<String> names() {
        return ((Map<?, ?>) nonNull()).keySet().stream().map(String::valueOf).toList();
    }

    private Object nonNull() {
        if (value == null) {
            throw new IllegalStateException("is null");
        }
        return value;
    }

    private static @Nullable Object value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> {
                Map<String, @Nullable Object> map = new LinkedHashMap<>();
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String name = parser.currentName();
                    parser.nextToken();
                    map.put(name, value(parser));
                }
                yield map;
            }
            case START_ARRAY -> {
                List<@Nullable Object> list = new ArrayList<>();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    list.add(value(parser));
                }
                yield list;
            }
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT -> parser.getLongValue();
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> throw new IllegalArgumentException("unexpected " + parser.currentToken());
        };
    }
}
