package io.weir.quota;

class ConcurrencyH2Test extends ConcurrencyContract {

    @Override
    String newDatabase() {
        return TestDatabase.newH2();
    }

    /** H2 keeps no log of them; the answers tell. */
    @Override
    long deadlocks() {
        return 0;
    }
}
