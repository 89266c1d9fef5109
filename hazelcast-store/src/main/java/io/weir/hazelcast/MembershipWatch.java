package io.weir.hazelcast;

import com.hazelcast.cluster.InitialMembershipEvent;
import com.hazelcast.cluster.InitialMembershipListener;
import com.hazelcast.cluster.MembershipEvent;
import java.util.UUID;
import java.util.function.Consumer;

/** Listens to members come and go: tells that there was a change, and who has left. */
final class MembershipWatch implements InitialMembershipListener {

    private final Runnable changed;
    private final Consumer<UUID> left;

    MembershipWatch(Runnable changed, Consumer<UUID> left) {
        this.changed = changed;
        this.left = left;
    }

    /** Called when the listener is added, so that nobody who comes just then is missed. */
    @Override
    public void init(InitialMembershipEvent event) {
        changed.run();
    }

    @Override
    public void memberAdded(MembershipEvent event) {
        changed.run();
    }

    @Override
    public void memberRemoved(MembershipEvent event) {
        left.accept(event.getMember().getUuid());
        changed.run();
    }
}
