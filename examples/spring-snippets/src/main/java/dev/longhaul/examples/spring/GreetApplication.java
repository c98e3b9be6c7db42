// region minimal
package dev.longhaul.examples.spring;

import dev.longhaul.spring.JobClient;
import dev.longhaul.spring.LonghaulJob;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

@SpringBootApplication
public class GreetApplication {
    record Greet(String name) {}

    public static void main(String[] arguments) {
        SpringApplication.run(GreetApplication.class, arguments);
    }

    @LonghaulJob(key = "greet")
    String greet(Greet params) {
        String greeting = "Hello, " + params.name() + "!";
        System.out.println(greeting);
        return greeting; // the result, stored with the job
    }

    @Bean
    ApplicationRunner enqueue(JobClient<Greet, String> greetings) {
        return arguments -> greetings.later(new Greet("Ann"));
    }
}
// endregion
