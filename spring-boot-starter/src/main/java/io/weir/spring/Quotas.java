package io.weir.spring;

import io.weir.quota.Quota;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The quotas that are written beneath {@code weir.quotas}: a bean, for code that spends them by itself, beside that of type {@link
 * io.weir.quota.QuotaLedger}. Immutable and thread-safe.
 */
public final class Quotas {

    private final Map<String, Quota> byName = new LinkedHashMap<>();

    Quotas(Collection<Quota> quotas) {
        quotas.forEach(each -> byName.put(each.name(), each));
    }

    /**
     * The quota of that name.
     *
     * @throws IllegalArgumentException if there is none, naming those that there are
     */
    public Quota named(String name) {
        Quota quota = byName.get(name);
        if (quota == null) {
            throw new IllegalArgumentException(
                    "there is no quota \"" + name + "\", and the quotas are " + byName.keySet());
        }
        return quota;
    }

    /** All of them, in the order in which they are written. */
    public Collection<Quota> all() {
        return Collections.unmodifiableCollection(byName.values());
    }
}
