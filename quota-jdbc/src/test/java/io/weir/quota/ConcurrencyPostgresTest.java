package io.weir.quota;

import static org.assertj.core.api.Assertions.assertThat;

class ConcurrencyPostgresTest extends ConcurrencyContract {

    @Override
    String newDatabase() {
        return TestDatabase.emptyPostgres();
    }

    @Override
    long deadlocks() throws Exception {
        String log = TestDatabase.postgresLog();
        assertThat(log).as("what the server logs arrives here").contains("ready to accept connections");
        return log.lines().filter(each -> each.contains("deadlock")).count();
    }
}
