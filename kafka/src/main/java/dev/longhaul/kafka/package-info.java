/**
 * Kafka beside the store. {@link dev.longhaul.kafka.KafkaIntake} appends writes of jobs to a topic while the database is unavailable;
 * {@link dev.longhaul.kafka.KafkaIntakeLog} is where a writer reads them from, and {@link dev.longhaul.kafka.ParkedRecords} holds those
 * that the store rejected. {@link dev.longhaul.kafka.RecordJson} is the form of a record in the topic. Start with {@link
 * dev.longhaul.kafka.IntakeSettings}. {@link dev.longhaul.kafka.KafkaEvents} sends events of jobs to topics. The store remains the only source of truth: nothing here knows the state of a job.
 */
@NullMarked
package dev.longhaul.kafka;

import org.jspecify.annotations.NullMarked;
