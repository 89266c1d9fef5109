package io.weir.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Has Spring Boot print what a {@link Misconfiguration} says, instead of a stack trace. */
final class WeirFailureAnalyzer extends AbstractFailureAnalyzer<Misconfiguration> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, Misconfiguration cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
