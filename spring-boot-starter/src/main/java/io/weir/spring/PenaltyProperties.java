package io.weir.spring;

import java.time.Duration;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What becomes of keys that are denied again and again under a limit.
 *
 * @param strikes How many strikes a key may have, 1 to 1,000: 3 unless set.
 * @param per For how long a strike counts: 1 hour unless set.
 * @param first How long the first cool-down is: 60 seconds unless set.
 * @param longest How long cool-downs become that double each time: 1 hour unless set.
 * @param forgivenAfter How long after the end of a cool-down the next is a first one again: 1 day unless set.
 */
record PenaltyProperties(
        @DefaultValue("3") long strikes,
        @DefaultValue("1h") Duration per,
        @DefaultValue("60s") Duration first,
        @DefaultValue("1h") Duration longest,
        @DefaultValue("1d") Duration forgivenAfter) {}
