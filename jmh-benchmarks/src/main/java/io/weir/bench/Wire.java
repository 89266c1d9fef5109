package io.weir.bench;

import com.hazelcast.nio.serialization.IdentifiedDataSerializable;

/** An object of the benchmarks' own on the wire, with as little around it as Hazelcast allows. */
abstract class Wire implements IdentifiedDataSerializable {

    static final int FACTORY_ID = 4711;

    static final int WRITE = 1;
    static final int TAKE_TOKEN = 2;
    static final int SET_TOKENS = 3;
    static final int TOKENS = 4;

    @Override
    public final int getFactoryId() {
        return FACTORY_ID;
    }

    static IdentifiedDataSerializable create(int classId) {
        return switch (classId) {
            case WRITE -> new WriteProcessor();
            case TAKE_TOKEN -> new TakeTokenProcessor();
            case SET_TOKENS -> new TakeTokenProcessor.Backup();
            case TOKENS -> new TakeTokenProcessor.Tokens();
            default -> throw new IllegalArgumentException("no class has the id " + classId);
        };
    }
}
