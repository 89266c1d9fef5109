package io.weir.quota;

class OnConnectionH2Test extends OnConnectionContract {

    @Override
    String newDatabase() {
        return TestDatabase.newH2();
    }

    @Override
    String setTimeZone(String zone) {
        return "SET TIME ZONE '" + zone + "'";
    }
}
