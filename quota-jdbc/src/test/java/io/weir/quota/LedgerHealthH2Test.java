package io.weir.quota;

class LedgerHealthH2Test extends LedgerHealthContract {

    @Override
    String newDatabase() {
        return TestDatabase.newH2();
    }

    @Override
    String folder() {
        return "h2";
    }
}
