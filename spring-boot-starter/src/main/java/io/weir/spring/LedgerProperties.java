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
 */
record LedgerProperties(
        @Nullable String dataSource,
        @DefaultValue("validate") Schema schema,
        @DefaultValue("500ms") Duration deadline,
        @DefaultValue("16") int workers,
        @DefaultValue("10m") Duration hold) {

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
