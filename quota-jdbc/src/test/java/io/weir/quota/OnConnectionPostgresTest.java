package io.weir.quota;

class OnConnectionPostgresTest extends OnConnectionContract {

    @Override
    String newDatabase() {
        return TestDatabase.emptyPostgres();
    }

    @Override
    String setTimeZone(String zone) {
        return "SET TIME ZONE '" + zone + "'";
    }
}
