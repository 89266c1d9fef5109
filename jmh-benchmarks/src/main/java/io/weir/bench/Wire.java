package io.weir.bench;

import com.hazelcast.nio.serialization.IdentifiedDataSerializable;

/** The identities under which the benchmarks' own processors travel. */
final class Wire {

    static final int FACTORY_ID = 4711;
    static final int BUCKET4J_TYPE_ID_BASE = 4711;

    static final int WRITE = 1;

    private Wire() {}

    static IdentifiedDataSerializable create(int classId) {
        return switch (classId) {
            case WRITE -> new WriteProcessor();
            default -> throw new IllegalArgumentException("no class has the id " + classId);
        };
    }
}
