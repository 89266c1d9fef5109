package io.weir.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceAware;
import java.io.Serializable;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * "I am leaving for good", told to another member. Whoever says so decides until its partitions have migrated, and is missed
 * by nobody once it is gone.
 */
final class Goodbye extends Wire implements Callable<Boolean>, Serializable, HazelcastInstanceAware {

    private static final long serialVersionUID = 1L;

    private transient UUID leaving;
    private transient @Nullable HazelcastInstance told;

    Goodbye(UUID leaving) {
        this.leaving = leaving;
    }

    /** For reading from the wire. */
    @SuppressWarnings("NullAway.Init")
    Goodbye() {}

    @Override
    public void setHazelcastInstance(HazelcastInstance instance) {
        this.told = instance;
    }

    @Override
    public Boolean call() {
        Membership.of(Objects.requireNonNull(told, "not injected")).goodbye(leaving);
        return true;
    }

    @Override
    public int getClassId() {
        return GOODBYE;
    }

    @Override
    void write(FrameWriter out) {
        out.putUuid(leaving);
    }

    @Override
    void read(FrameReader in) {
        leaving = in.getUuid();
    }
}
