package io.weir.spring;

import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;

/** Which of an application's {@code DataSource}s quotas are kept in. */
final class DataSourceChoice {

    private static final String PROPERTY = WeirProperties.PREFIX + ".quota.data-source";

    private DataSourceChoice() {}

    /**
     * The one that is meant.
     *
     * @param name null for the only or the primary one
     * @throws Misconfiguration if there is none, or if there are several
     */
    static DataSource of(@Nullable String name, ConfigurableListableBeanFactory beans, Environment environment) {
        if (name != null) {
            if (!beans.containsBean(name) || !beans.isTypeMatch(name, DataSource.class)) {
                throw new Misconfiguration.OfSetting(
                        Setting.of(environment, PROPERTY),
                        "there is no such bean of type DataSource, only " + candidates(beans) + ".",
                        Advice.write(PROPERTY),
                        null);
            }
            return beans.getBean(name, DataSource.class);
        }
        try {
            return beans.getBean(DataSource.class);
        } catch (NoUniqueBeanDefinitionException e) {
            throw new Misconfiguration.OfQuotas(
                    "Quotas are kept in a database, and there are several beans of type DataSource: "
                            + candidates(beans) + ", none of them primary.",
                    "Set " + PROPERTY + " to the name of one of them, or mark it @Primary.",
                    e);
        } catch (NoSuchBeanDefinitionException e) {
            throw new Misconfiguration.OfQuotas(
                    "Quotas are kept in a database, and there is no bean of type DataSource.",
                    "Add org.springframework.boot:spring-boot-starter-jdbc with the driver of PostgreSQL or H2, and set"
                            + " spring.datasource.url. Or remove what is beneath weir.quotas.",
                    e);
        }
    }

    private static List<String> candidates(ConfigurableListableBeanFactory beans) {
        return List.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, DataSource.class));
    }
}
