package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;

class AdviceTest {

    @Test
    void knowsWhatToWriteForEveryProperty() {
        List<String> properties = new ArrayList<>();
        collect(WeirProperties.PREFIX, WeirProperties.class, properties);

        assertThat(properties)
                .hasSizeGreaterThan(50)
                .contains("weir.limits.any.debt", "weir.http.routes[0].limits[0].key", "weir.endpoint.directives")
                .allSatisfy(each -> assertThat(Advice.write(each)).isNotEqualTo(Advice.NONE));
    }

    private static void collect(String name, Type type, List<String> properties) {
        if (type instanceof ParameterizedType several) {
            Type[] arguments = several.getActualTypeArguments();
            boolean map = several.getRawType() == Map.class;
            collect(name + (map ? ".any" : "[0]"), arguments[arguments.length - 1], properties);
        } else if (type instanceof Class<?> some && some.isRecord() && some != Refill.class) {
            for (RecordComponent each : some.getRecordComponents()) {
                String beneath = name + "." + DataObjectPropertyName.toDashedForm(each.getName());
                properties.add(beneath);
                collect(beneath, each.getGenericType(), properties);
            }
        }
    }
}
