package io.weir.quota;

class QuotaH2Test extends QuotaContract {

    @Override
    String newDatabase() {
        return TestDatabase.newH2();
    }
}
