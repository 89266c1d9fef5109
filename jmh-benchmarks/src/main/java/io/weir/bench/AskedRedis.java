package io.weir.bench;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.weir.algorithm.Bandwidth;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

/** A token bucket in Lua that runs inside Redis, asked over one connection that all threads share, as Lettuce advises. */
final class AskedRedis implements Asked, AutoCloseable {

    private static final String SCRIPT = "token-bucket.lua";

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final String script;
    private final String capacity;
    private final String tokensPerMicro;

    AskedRedis(InetSocketAddress server, Bandwidth bandwidth) {
        client = RedisClient.create(RedisURI.create(server.getHostString(), server.getPort()));
        connection = client.connect();
        script = connection.sync().scriptLoad(read());
        capacity = Long.toString(bandwidth.capacity());
        tokensPerMicro = Double.toString((double) bandwidth.refill() / micros(bandwidth.period()));
    }

    private static long micros(Duration period) {
        return period.toNanos() / 1_000;
    }

    private static String read() {
        try (InputStream in = AskedRedis.class.getResourceAsStream(SCRIPT)) {
            return new String(Objects.requireNonNull(in, SCRIPT).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public boolean tryAcquire(String key, Caller caller) {
        Boolean granted = connection
                .sync()
                .evalsha(script, ScriptOutputType.BOOLEAN, new String[] {key}, capacity, tokensPerMicro);
        return granted;
    }

    @Override
    public CompletionStage<Boolean> tryAcquireAsync(String key, Caller caller) {
        return connection
                .async()
                .evalsha(script, ScriptOutputType.BOOLEAN, new String[] {key}, capacity, tokensPerMicro);
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(5));
    }
}
