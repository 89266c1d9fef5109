package io.weir.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceAware;
import java.io.Serializable;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** "Am I a member of yours?", asked of another member. */
final class MembershipQuestion extends Wire implements Callable<Boolean>, Serializable, HazelcastInstanceAware {

    private static final long serialVersionUID = 1L;

    private transient UUID asking;
    private transient @Nullable HazelcastInstance asked;

    MembershipQuestion(UUID asking) {
        this.asking = asking;
    }

    /** For reading from the wire. */
    @SuppressWarnings("NullAway.Init")
    MembershipQuestion() {}

    @Override
    public void setHazelcastInstance(HazelcastInstance instance) {
        this.asked = instance;
    }

    @Override
    public Boolean call() {
        return Objects.requireNonNull(asked, "not injected").getCluster().getMembers().stream()
                .anyMatch(member -> member.getUuid().equals(asking));
    }

    @Override
    public int getClassId() {
        return MEMBERSHIP_QUESTION;
    }

    @Override
    void write(FrameWriter out) {
        out.putUuid(asking);
    }

    @Override
    void read(FrameReader in) {
        asking = in.getUuid();
    }
}
