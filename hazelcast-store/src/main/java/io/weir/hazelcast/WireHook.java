package io.weir.hazelcast;

import com.hazelcast.internal.serialization.DataSerializerHook;
import com.hazelcast.nio.serialization.DataSerializableFactory;

/**
 * Tells every Hazelcast member and client that has this jar on its class path how to read our classes, without a line of
 * configuration. Found through {@code META-INF/services}, where Hazelcast's own modules put theirs; public for that.
 *
 * <p>Where the factory id is taken by an application's own factory, Hazelcast refuses to start and names the id; the
 * system property {@code weir.hazelcast.factory-id} chooses another, the same on every member and client.
 */
public final class WireHook implements DataSerializerHook {

    @Override
    public int getFactoryId() {
        return Wire.FACTORY_ID;
    }

    @Override
    public DataSerializableFactory createFactory() {
        return classId -> switch (classId) {
            case Wire.BUCKET_CALL -> new BucketCall();
            case Wire.BUCKET_BACKUP -> new BucketBackup();
            case Wire.CALL_ANSWER -> new CallAnswer();
            case Wire.STORED_BUCKET -> new StoredBucket();
            case Wire.MEMBERSHIP_QUESTION -> new MembershipQuestion();
            case Wire.GOODBYE -> new Goodbye();
            case Wire.LOWER_BALANCE -> new LowerBalance();
            case Wire.ROSTER -> new Roster();
            case Wire.ROSTER_CALL -> new RosterCall();
            case Wire.STORED_DIRECTIVES -> new StoredDirectives();
            case Wire.DIRECTIVE_CALL -> new DirectiveCall();
            case Wire.DIRECTIVE_ANSWER -> new DirectiveAnswer();
            case Wire.HIGHER_VERSION -> new HigherVersion();
            default ->
                throw new IllegalArgumentException("class id " + classId
                        + " is not known to this version of Weir: upgrade this node before others use it");
        };
    }
}
