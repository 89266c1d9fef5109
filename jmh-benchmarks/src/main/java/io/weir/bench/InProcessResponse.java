package io.weir.bench;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.HashMap;
import java.util.Map;

/** A response that goes nowhere: it keeps its fields, and how much was written. It is used again and again. */
public final class InProcessResponse extends HttpServletResponseWrapper {

    private final Map<String, String> fields = new HashMap<>();
    private final ServletOutputStream stream = new Sink();
    private final PrintWriter writer = new PrintWriter(new CharacterSink());
    private int status;
    private int written;

    InProcessResponse() {
        super(Unknowing.of(HttpServletResponse.class));
    }

    /** Becomes another response. */
    void recycle() {
        fields.clear();
        status = SC_OK;
        written = 0;
    }

    /** How many bytes or characters were written. */
    int written() {
        return written;
    }

    /** It never is: there is nobody to send it to. */
    @Override
    public boolean isCommitted() {
        return false;
    }

    @Override
    public void resetBuffer() {
        written = 0;
    }

    @Override
    public int getStatus() {
        return status;
    }

    @Override
    public void setStatus(int value) {
        status = value;
    }

    @Override
    public String getHeader(String name) {
        return fields.getOrDefault(name, "");
    }

    @Override
    public void setHeader(String name, String value) {
        fields.put(name, value);
    }

    @Override
    public void setContentType(String type) {
        setHeader("Content-Type", type);
    }

    @Override
    public void setContentLength(int length) {
        setHeader("Content-Length", Integer.toString(length));
    }

    @Override
    public ServletOutputStream getOutputStream() {
        return stream;
    }

    @Override
    public PrintWriter getWriter() {
        return writer;
    }

    private final class Sink extends ServletOutputStream {
        @Override
        public void write(int b) {
            written++;
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            written += length;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            throw new UnsupportedOperationException("nothing is written later");
        }
    }

    private final class CharacterSink extends Writer {
        @Override
        public void write(char[] characters, int offset, int length) {
            written += length;
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
