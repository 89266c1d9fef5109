package io.weir.quota;

class QuotaPostgresTest extends QuotaContract {

    @Override
    String newDatabase() {
        return TestDatabase.emptyPostgres();
    }
}
