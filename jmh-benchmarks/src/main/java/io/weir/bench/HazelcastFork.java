package io.weir.bench;

import org.openjdk.jmh.annotations.Fork;

/** Forks with the flags that Hazelcast asks for; they do not read the jar's manifest, which says the same. */
@Fork(
        value = 2,
        jvmArgsAppend = {
            "--add-modules=java.se",
            "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-opens=java.management/sun.management=ALL-UNNAMED",
            "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED"
        })
public abstract class HazelcastFork {

    HazelcastFork() {}
}
