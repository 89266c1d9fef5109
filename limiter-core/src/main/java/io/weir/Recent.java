package io.weir;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Remembers something of each of the keys that it was last asked about or told of, and forgets the others. Not thread-safe.
 *
 * @param <V> what that is
 */
final class Recent<V> extends LinkedHashMap<String, V> {

    private static final long serialVersionUID = 1L;

    private final int most;

    /** @param most how many keys at once */
    Recent(int most) {
        super(16, 0.75f, true);
        this.most = most;
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
        return size() > most;
    }
}
