package io.weir.spring;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Where quotas are kept.
 *
 * @param dataSource The name of the bean to use, where there are several of type DataSource and none is primary.
 * @param schema What is done about the tables of quotas at the start: validate unless set, create for an H2 that has none, or none.
 * @param deadline How long a decision may take before the failure policy answers.
 * @param workers How many steps are with the database at a time; the pool should have as many connections.
 * @param hold For how long an estimate is put aside that nobody settles or releases, as when a node dies.
 * @param keepKeys For how long idempotency keys are known, and spends can be refunded.
 * @param keepPeriods For how long after their end periods, reservations and credits are kept. The history is kept for ever.
 * @param cleanUpEvery How often what is older is deleted, by each node; 0 for never.
 */
record LedgerProperties(
        @Nullable String dataSource,
        @DefaultValue("validate") Schema schema,
        @DefaultValue("500ms") Duration deadline,
        @DefaultValue("16") int workers,
        @DefaultValue("10m") Duration hold,
        @DefaultValue("30d") Duration keepKeys,
        @DefaultValue("400d") Duration keepPeriods,
        @DefaultValue("6h") Duration cleanUpEvery) {

    /** What is done about the tables. */
    enum Schema {
        /** They have to be there, or the application does not start. */
        VALIDATE,
        /** They are created in an H2 that has none. */
        CREATE,
        /** Nothing. */
        NONE
    }
}
