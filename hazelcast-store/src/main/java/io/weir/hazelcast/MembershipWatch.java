package io.weir.hazelcast;

import com.hazelcast.cluster.InitialMembershipEvent;
import com.hazelcast.cluster.InitialMembershipListener;
import com.hazelcast.cluster.MembershipEvent;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** Listens to members come and go: tells how many there are then, and who has left. */
final class MembershipWatch implements InitialMembershipListener {

    private final IntConsumer members;
    private final Consumer<UUID> left;

    MembershipWatch(IntConsumer members, Consumer<UUID> left) {
        this.members = members;
        this.left = left;
    }

    /** Called when the listener is added, so that nobody who comes just then is missed. */
    @Override
    public void init(InitialMembershipEvent event) {
        members.accept(event.getMembers().size());
    }

    @Override
    public void memberAdded(MembershipEvent event) {
        members.accept(event.getMembers().size());
    }

    @Override
    public void memberRemoved(MembershipEvent event) {
        left.accept(event.getMember().getUuid());
        members.accept(event.getMembers().size());
    }
}
