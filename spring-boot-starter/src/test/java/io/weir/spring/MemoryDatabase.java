package io.weir.spring;

import java.lang.reflect.Proxy;
import java.sql.SQLTransientConnectionException;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;

/** Databases in memory, each of its own. */
final class MemoryDatabase {

    private MemoryDatabase() {}

    /** One that nobody reaches while that is so. */
    static DataSource unreachableWhile(BooleanSupplier cut, DataSource to) {
        return (DataSource) Proxy.newProxyInstance(
                MemoryDatabase.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> {
                    if (cut.getAsBoolean()) {
                        throw new SQLTransientConnectionException("cut", "08001");
                    }
                    return method.invoke(to, arguments);
                });
    }

    static DataSource create() {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        return dataSource;
    }
}
