package io.weir.http;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.concurrent.atomic.AtomicBoolean;

/** Waits for the end of an asynchronous request, to say how it went. */
record ServletEnd(QuotaCharge charge, HttpServletResponse response, AtomicBoolean failed) implements AsyncListener {

    private static final int SERVER_ERROR = 500;

    /** Ends what was taken now or, if the request is asynchronous, when the container completes it. */
    static void of(QuotaCharge charge, boolean failed, HttpServletRequest request, HttpServletResponse response) {
        ServletEnd end = new ServletEnd(charge, response, new AtomicBoolean(failed));
        if (failed || !end.listensTo(request)) {
            end.end();
        }
    }

    /** Whether the request is asynchronous, and has not been completed since. */
    private boolean listensTo(HttpServletRequest request) {
        if (!request.isAsyncStarted()) {
            return false;
        }
        try {
            request.getAsyncContext().addListener(this);
            return true;
        } catch (IllegalStateException e) {
            return false; // completed on another thread: there is nothing to listen to any more
        }
    }

    private void end() {
        charge.end(failed.get() || response.getStatus() >= SERVER_ERROR);
    }

    @Override
    public void onComplete(AsyncEvent event) {
        end();
    }

    @Override
    public void onTimeout(AsyncEvent event) {
        failed.set(true);
    }

    @Override
    public void onError(AsyncEvent event) {
        failed.set(true);
    }

    /** Once more, after a dispatch: containers forget their listeners then. */
    @Override
    public void onStartAsync(AsyncEvent event) {
        event.getAsyncContext().addListener(this);
    }
}
