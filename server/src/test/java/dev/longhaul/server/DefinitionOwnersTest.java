package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.Duration;
import dev.longhaul.access.Role;
import dev.longhaul.catalog.Declaration;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.rpc.v1.RegisterDefinitionsRequest;
import dev.longhaul.rpc.v1.RegisterDefinitionsRequest.Definition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A definition registered by a worker key belongs to that key; one registered by code belongs to the code. */
class DefinitionOwnersTest {
    private static final String CARD = "{\"type\":\"object\",\"properties\":{\"card\":{\"writeOnly\":true}}}";

    @RegisterExtension
    final Doors doors = new Doors();

    private final Rpc operator = new Rpc(doors.port(), doors.key("boss", Role.ADMIN));
    private final Rpc owner = new Rpc(doors.port(), doors.key("w1", Role.WORKER));
    private final Rpc other = new Rpc(doors.port(), doors.key("w2", Role.WORKER));

    @BeforeEach
    void register() {
        register(owner, pay().setParamsSchema(CARD).setConcurrencyLimit(2).setMaxAttempts(1));
    }

    @AfterEach
    void close() {
        operator.close();
        owner.close();
        other.close();
    }

    private static Definition.Builder pay() {
        return Definition.newBuilder().setDefinition("py.pay@1");
    }

    private static void register(Rpc rpc, Definition.Builder definition) {
        rpc.jobs.registerDefinitions(RegisterDefinitionsRequest.newBuilder()
                .addDefinitions(definition)
                .build());
    }

    private KnownDefinition known(String name) {
        return doors.longhaul()
                .store()
                .catalog()
                .find(DefinitionRef.parse(name))
                .orElseThrow();
    }

    private void denied(Rpc rpc, Definition.Builder definition, String field, String... expected) {
        KnownDefinition before = known(definition.getDefinition());
        var failure = catchThrowableOfType(StatusRuntimeException.class, () -> register(rpc, definition));
        assertThat(failure).as("registered by another key: %s", definition).isNotNull();
        assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.PERMISSION_DENIED);
        assertThat(failure.getStatus().getDescription()).contains(field + ": ").contains(expected);
        assertThat(known(definition.getDefinition())).isEqualTo(before);
    }

    @Test
    void another_key_neither_weakens_its_schema_nor_changes_its_settings() {
        denied(other, pay().setParamsSchema("{}"), "paramsSchema", "at least");
        denied(other, pay().setQueue("evil"), "queue", "default", "the key that registered it", "operator");
        denied(other, pay().setMaxAttempts(9), "maxAttempts", "1");
        denied(other, pay().setTimeout(Duration.newBuilder().setSeconds(5)), "timeout", "PT1H");
        denied(other, pay().setConcurrencyLimit(9), "concurrencyLimit", "2");
    }

    @Test
    void another_key_neither_weakens_nor_moves_a_definition_of_code() {
        var login = Definition.newBuilder().setDefinition("test.login@1");
        denied(other, login.clone().setParamsSchema("{}"), "paramsSchema", "at least");
        denied(other, login.clone().setQueue("evil"), "queue", "default", "the loaded code");
        denied(other, login.clone().setMaxAttempts(1), "maxAttempts", "3");
    }

    @Test
    void several_keys_of_one_team_register_the_same_definition() {
        KnownDefinition before = known("py.pay@1");
        register(other, pay().setParamsSchema(CARD).setConcurrencyLimit(2).setMaxAttempts(1));
        register(other, pay().setConcurrencyLimit(2));

        assertThat(known("py.pay@1")).isEqualTo(before);
    }

    @Test
    void another_key_adds_secret_places_and_changes_nothing_else() {
        String more =
                "{\"properties\":{\"card\":{\"writeOnly\":true},\"pin\":{\"writeOnly\":true}},\"maxProperties\":1}";
        String owned = known("py.pay@1").registeredBy();
        register(other, pay().setParamsSchema(more).setConcurrencyLimit(2));
        KnownDefinition after = known("py.pay@1");
        assertThat(after.paramsSchema()).contains("pin", "\"type\":\"object\"").doesNotContain("maxProperties");
        assertThat(after.registeredBy()).isEqualTo(owned);

        register(other, pay().setParamsSchema(more).setConcurrencyLimit(2));
        assertThat(known("py.pay@1")).as("registered again").isEqualTo(after);
    }

    @Test
    void the_owner_and_an_operator_change_it() {
        String owned = known("py.pay@1").registeredBy();
        register(operator, pay().setQueue("fast").setMaxAttempts(4).setConcurrencyLimit(2));
        assertThat(known("py.pay@1").defaults().queue()).isEqualTo("fast");
        assertThat(known("py.pay@1").registeredBy()).as("the owner stays").isEqualTo(owned);

        register(owner, pay().setParamsSchema("{}").setQueue("slow").setConcurrencyLimit(2));
        assertThat(known("py.pay@1").paramsSchema()).isEqualTo("{}");
        assertThat(known("py.pay@1").defaults().queue()).isEqualTo("slow");
    }

    @Test
    void a_limit_that_is_left_out_keeps_its_value_and_0_removes_it() {
        register(owner, pay().setMaxAttempts(2));
        assertThat(known("py.pay@1").defaults().concurrencyLimit()).isEqualTo(2);

        register(owner, pay().setConcurrencyLimit(0));
        assertThat(known("py.pay@1").defaults().concurrencyLimit()).isZero();
    }

    @Test
    void a_key_registers_what_an_operator_declared_first() {
        doors.longhaul()
                .store()
                .catalog()
                .declare(
                        new Declaration(new DefinitionRef("py.new", 1), null, null, "slow", null, null, null),
                        Set.of(Declaration.Field.QUEUE),
                        "boss");
        register(other, Definition.newBuilder().setDefinition("py.new@1").setMaxAttempts(7));

        assertThat(known("py.new@1").defaults().maxAttempts()).isEqualTo(7);
        assertThat(known("py.new@1").defaults().queue()).isEqualTo("slow");
    }

    @Test
    void a_key_takes_over_from_one_that_was_revoked() {
        KnownDefinition before = known("py.pay@1");
        var access = doors.longhaul().store().access();
        access.revoke(UUID.fromString(String.valueOf(before.registeredBy())), "test");

        denied(other, pay().setParamsSchema("{}"), "paramsSchema", "at least");
        register(other, pay().setQueue("fast").setConcurrencyLimit(2));
        assertThat(known("py.pay@1").defaults().queue()).isEqualTo("fast");
        assertThat(known("py.pay@1").registeredBy()).isNotEqualTo(before.registeredBy());
    }
}
