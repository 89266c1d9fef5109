package io.weir.quota;

class LedgerHealthPostgresTest extends LedgerHealthContract {

    @Override
    String newDatabase() {
        return TestDatabase.newPostgres();
    }

    @Override
    String folder() {
        return "postgresql";
    }
}
