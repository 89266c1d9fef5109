package io.weir.bench;

import com.hazelcast.map.EntryProcessor;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import java.util.Map;

/** Writes a constant, on the owner and on the backup: the least that a call which changes something can do. */
final class WriteProcessor extends Wire implements EntryProcessor<String, Long, Boolean> {

    private static final long serialVersionUID = 1;

    @Override
    public Boolean process(Map.Entry<String, Long> entry) {
        entry.setValue(1L);
        return true;
    }

    @Override
    public int getClassId() {
        return WRITE;
    }

    @Override
    public void writeData(ObjectDataOutput out) {}

    @Override
    public void readData(ObjectDataInput in) {}
}
