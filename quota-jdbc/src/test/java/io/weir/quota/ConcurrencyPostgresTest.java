package io.weir.quota;

class ConcurrencyPostgresTest extends ConcurrencyContract {

    @Override
    String newDatabase() {
        return TestDatabase.emptyPostgres();
    }

    @Override
    long deadlocks() throws Exception {
        return TestDatabase.postgresLog()
                .lines()
                .filter(each -> each.contains("deadlock"))
                .count();
    }
}
