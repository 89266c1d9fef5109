package io.weir;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** What the limiters, or another logger, log while it is open, through the default backend of {@link System.Logger}. */
final class LogLines extends Handler implements AutoCloseable {

    private final Logger logger;
    private final List<String> lines = new ArrayList<>();

    LogLines() {
        this(Limiter.class.getName());
    }

    LogLines(String name) {
        logger = Logger.getLogger(name);
        logger.setUseParentHandlers(false);
        logger.addHandler(this);
    }

    List<String> lines() {
        return lines;
    }

    @Override
    public void publish(LogRecord record) {
        lines.add(record.getLevel() + " " + new SimpleFormatter().formatMessage(record));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setUseParentHandlers(true);
    }
}
