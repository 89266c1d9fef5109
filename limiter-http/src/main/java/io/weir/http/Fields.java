package io.weir.http;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;

/**
 * Header fields in the order in which they are to be sent: names and values in turn, since they are few, and each is looked at
 * once. They are complete when they leave this package, and for all others unmodifiable.
 */
final class Fields extends AbstractMap<String, String> {

    private String[] texts = new String[16];
    private int length;

    /** Adds a field, whose name must not be there yet. */
    void add(String name, String value) {
        if (length == texts.length) {
            texts = Arrays.copyOf(texts, 2 * length);
        }
        texts[length++] = name;
        texts[length++] = value;
    }

    @Override
    public Set<Map.Entry<String, String>> entrySet() {
        return new AbstractSet<>() {
            @Override
            public Iterator<Map.Entry<String, String>> iterator() {
                return entries();
            }

            @Override
            public int size() {
                return length / 2;
            }
        };
    }

    private Iterator<Map.Entry<String, String>> entries() {
        return new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                return next < length;
            }

            @Override
            public Map.Entry<String, String> next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                next += 2;
                return Map.entry(texts[next - 2], texts[next - 1]);
            }
        };
    }
}
