package io.weir.http;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;

/** Waits for the end of an asynchronous request, which comes after a timeout and after an error, too. */
record ServletCompletion(Admission admission) implements AsyncListener {

    @Override
    public void onComplete(AsyncEvent event) {
        admission.close();
    }

    @Override
    public void onTimeout(AsyncEvent event) {}

    @Override
    public void onError(AsyncEvent event) {}

    /** Once more, after a dispatch: containers forget their listeners then. */
    @Override
    public void onStartAsync(AsyncEvent event) {
        event.getAsyncContext().addListener(this);
    }
}
