package io.weir.hazelcast;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import java.io.IOException;
import java.nio.BufferUnderflowException;

/**
 * An object of ours on the wire: one frame, of a stated length, that begins with the version of its layout.
 *
 * <p>Later versions only add at the end of a frame. So an older node reads what it knows and skips the rest, and a newer
 * one sees by the version what is missing. The layouts are drawn in {@code docs/wire-format.md}.
 */
abstract class Wire implements IdentifiedDataSerializable {

    /**
     * The factory id under which Hazelcast knows our classes. The same on all members and clients; another one can be
     * chosen by a system property where it clashes with an application's own.
     */
    static final int FACTORY_ID = Integer.getInteger("weir.hazelcast.factory-id", 87_347);

    /** The version of the layouts that this code writes. */
    static final byte VERSION = 1;

    static final int BUCKET_CALL = 1;
    static final int BUCKET_BACKUP = 2;
    static final int CALL_ANSWER = 3;
    static final int STORED_BUCKET = 4;
    static final int MEMBERSHIP_QUESTION = 5;
    static final int GOODBYE = 6;
    static final int LOWER_BALANCE = 7;
    static final int ROSTER = 8;
    static final int ROSTER_CALL = 9;
    static final int STORED_DIRECTIVES = 10;
    static final int DIRECTIVE_CALL = 11;
    static final int DIRECTIVE_ANSWER = 12;
    static final int HIGHER_VERSION = 13;

    abstract void write(FrameWriter out);

    abstract void read(FrameReader in);

    @Override
    public final int getFactoryId() {
        return FACTORY_ID;
    }

    @Override
    public final void writeData(ObjectDataOutput out) throws IOException {
        FrameWriter frame = FrameWriter.ofThisThread();
        frame.putByte(VERSION);
        write(frame);
        frame.writeTo(out);
    }

    @Override
    public final void readData(ObjectDataInput in) throws IOException {
        int length = in.readInt();
        if (length <= 0) {
            throw new IOException("empty frame for class id " + getClassId() + " of factory " + FACTORY_ID
                    + ": is another library using this factory id?");
        }
        FrameReader frame = FrameReader.ofThisThread(in, length);
        frame.getByte(); // the version: this code needs nothing that version 1 lacks
        try {
            read(frame);
        } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
            throw new IOException(
                    "frame of " + length + " bytes for class id " + getClassId() + " ends early, or is not ours", e);
        }
    }
}
