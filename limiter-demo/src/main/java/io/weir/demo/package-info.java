/**
 * Three JVMs, one limit: shows that what a cluster grants is what the limit says.
 *
 * <pre>
 *   Demo              the launcher: options, live line, table, exit code
 *     StartChecks     ports, memory and modules, before anything is started
 *     MemberProcess   starts a member and ends it  - - stdin, stdout - -  Member    a JVM: Hazelcast, Weir,
 *     Load            asks all members             - - - -  HTTP  - - -     HelloServer   hello, as often as allowed
 *       Tally         what came back, when
 *     Second          the live line, rewritten in place by LiveLine
 *     Report          the table, judged by the history checker
 * </pre>
 */
@NullMarked
package io.weir.demo;

import org.jspecify.annotations.NullMarked;
