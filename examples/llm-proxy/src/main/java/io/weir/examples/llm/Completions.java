package io.weir.examples.llm;

import io.weir.algorithm.Verdict;
import io.weir.http.HttpAnswer;
import io.weir.http.HttpMapping;
import io.weir.http.IdempotencyField;
import io.weir.http.QuotaAnswer;
import io.weir.http.RateLimitFilter;
import io.weir.quota.IdempotencyConflictException;
import io.weir.quota.IdempotencyKey;
import io.weir.quota.QuotaDecision;
import io.weir.quota.QuotaLedger;
import io.weir.store.NanoClock;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * {@code POST /completions?max_tokens=256} with {@code Authorization: Bearer key} and a prompt: what the model says, as server-sent events. What that may
 * cost is put aside before the model is asked; what it has cost is settled at the end, also that of a model that fails and of a client that leaves.
 */
final class Completions extends HttpServlet {

    private static final long serialVersionUID = 1;
    private static final String BEARER = "Bearer ";
    private static final int LONGEST_PROMPT = 65_536;
    private static final Pattern MAX_TOKENS = Pattern.compile("[1-9][0-9]{0,8}");
    private static final Pattern SPACE = Pattern.compile("\\s+");

    /**
     * What it needs to know.
     *
     * @param callers by API key
     * @param hold for how long tokens are put aside, and again while a stream lasts: so long are they lost if this node dies. More than a model takes to begin
     * @param ping after how much silence the client gets a comment, which tells whether it is still there
     */
    record Setting(URI model, Map<String, Caller> callers, Budgets budgets, Duration hold, Duration ping) {

        /** Copies the callers. */
        Setting {
            callers = Map.copyOf(callers);
        }
    }

    private final transient QuotaLedger ledger;
    private final transient Setting setting;
    private final transient NanoClock clock = NanoClock.monotonic();
    private final transient HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final transient HttpMapping mapping = HttpMapping.standard();
    private final transient Answers answers = new Answers();

    Completions(QuotaLedger ledger, Setting setting) {
        this.ledger = ledger;
        this.setting = setting;
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Optional<Caller> caller = caller(request);
        if (caller.isEmpty()) {
            response.setHeader("WWW-Authenticate", "Bearer");
            refuse(response, 401, "Unauthorized", "The API key is none.");
            return;
        }
        Optional<IdempotencyKey> key = idempotencyKey(request, caller.get());
        if (key.isEmpty()) {
            RateLimitFilter.write(mapping.idempotencyKeyWrong(), response);
            return;
        }
        String max = Optional.ofNullable(request.getParameter("max_tokens")).orElse("256");
        byte[] body = request.getInputStream().readNBytes(LONGEST_PROMPT + 1);
        if (!MAX_TOKENS.matcher(max).matches() || body.length > LONGEST_PROMPT) {
            refuse(response, 400, "Bad Request", "max_tokens is from 1 to 999999999, and a prompt up to 64 KiB.");
            return;
        }
        complete(caller.get(), key.get(), new String(body, StandardCharsets.UTF_8), Integer.parseInt(max), response);
    }

    private void complete(Caller caller, IdempotencyKey key, String prompt, int max, HttpServletResponse response)
            throws IOException {
        long promptTokens = SPACE.split(prompt.strip()).length; // the tokenizer of the model knows better
        QuotaDecision reserved;
        try {
            reserved = ledger.reserve(key, setting.hold(), setting.budgets().charges(caller, promptTokens + max));
        } catch (IdempotencyConflictException e) {
            RateLimitFilter.write(mapping.answer(new QuotaAnswer.Conflict()), response);
            return;
        }
        if (!reserved.isGranted()) {
            RateLimitFilter.write(mapping.answer(denial(reserved)), response);
        } else if (reserved.isReplay()) {
            repeat(key, prompt, response); // nothing was put aside now, so that the model must not work
        } else {
            // Closed in the opposite order: first the model stops, and then is settled what it had said by then.
            try (Metered metered = new Metered(ledger, reserved, setting.hold(), clock);
                    Upstream upstream = Upstream.ask(client, setting.model(), prompt, max)) {
                metered.used(promptTokens);
                List<String> tokens = relay(upstream, metered, response);
                answers.put(key, new Answers.Answer(prompt, tokens));
            } catch (Upstream.Failed e) {
                failed(e, response);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("the server stops");
            }
        }
    }

    /** An {@link IOException} is the client's, which is gone; the container knows what to do about it. */
    private List<String> relay(Upstream upstream, Metered metered, HttpServletResponse response)
            throws IOException, Upstream.Failed, InterruptedException {
        ServletOutputStream out = events(response);
        List<String> tokens = new ArrayList<>();
        while (!upstream.hasEnded()) {
            Optional<String> token = upstream.next(setting.ping());
            metered.keep();
            if (token.isPresent()) {
                metered.used(1); // first: it costs whether or not anybody hears it
                tokens.add(token.get());
                send(out, "data: " + token.get());
            } else if (!upstream.hasEnded()) {
                send(out, ": still at it");
            }
        }
        send(out, "data: [DONE]");
        return tokens;
    }

    /** The same request again, for which was paid the first time. */
    private void repeat(IdempotencyKey key, String prompt, HttpServletResponse response) throws IOException {
        Answers.Answer answer = answers.get(key).orElse(null);
        if (answer == null) {
            refuse(response, 409, "Conflict", "The request was made before, and is under way or has failed.");
        } else if (!answer.prompt().equals(prompt)) {
            RateLimitFilter.write(mapping.answer(new QuotaAnswer.Conflict()), response);
        } else {
            ServletOutputStream out = events(response);
            for (String each : answer.tokens()) {
                send(out, "data: " + each);
            }
            send(out, "data: [DONE]");
        }
    }

    private static void failed(Upstream.Failed failure, HttpServletResponse response) throws IOException {
        if (response.isCommitted()) { // the status is sent: who does not read [DONE] has not got all
            send(response.getOutputStream(), "event: error\ndata: the model broke off");
        } else {
            System.getLogger(Completions.class.getName()).log(System.Logger.Level.WARNING, failure.getMessage());
            refuse(response, 502, "Bad Gateway", "The model does not answer.");
        }
    }

    private static QuotaAnswer.Denied denial(QuotaDecision denied) {
        List<String> names =
                denied.denied().stream().map(each -> each.quota().name()).toList();
        if (denied.source() == QuotaDecision.Source.POLICY) {
            return new QuotaAnswer.Unavailable();
        }
        return denied.verdict() == Verdict.NEVER
                ? new QuotaAnswer.Never(names)
                : new QuotaAnswer.Exhausted(names, denied.resetsAt().orElse(null));
    }

    private Optional<Caller> caller(HttpServletRequest request) {
        return Optional.ofNullable(request.getHeader("Authorization"))
                .filter(each -> each.startsWith(BEARER))
                .map(each -> setting.callers().get(each.substring(BEARER.length())));
    }

    /** The client's, which means nothing for other callers, though they pay from the same budgets; a new one without the field; empty if that is wrong. */
    private static Optional<IdempotencyKey> idempotencyKey(HttpServletRequest request, Caller caller) {
        List<String> lines = Collections.list(request.getHeaders(IdempotencyField.NAME));
        return lines.isEmpty()
                ? Optional.of(IdempotencyKey.fresh())
                : IdempotencyField.key(lines).map(each -> IdempotencyKey.of(caller.id() + " " + each));
    }

    private static ServletOutputStream events(HttpServletResponse response) throws IOException {
        response.setContentType("text/event-stream");
        response.setHeader("Cache-Control", "no-store");
        return response.getOutputStream();
    }

    private static void send(ServletOutputStream out, String event) throws IOException {
        out.write((event + "\n\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    private static void refuse(HttpServletResponse response, int status, String title, String detail)
            throws IOException {
        RateLimitFilter.write(
                new HttpAnswer.Denied(
                        status,
                        Map.of("Content-Type", "application/problem+json"),
                        "{\"type\":\"about:blank\",\"title\":\"" + title + "\",\"status\":" + status + ",\"detail\":\""
                                + detail + "\"}"),
                response);
    }
}
