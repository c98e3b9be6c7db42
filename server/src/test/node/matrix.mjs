// Calls the services with every protocol, version of HTTP and codec there is, and prints which calls went well.
// usage: node matrix.mjs PORT ADMIN_KEY
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { timestampNow } from "@bufbuild/protobuf/wkt";
import { EventType, JobEventsService, PublishJobEventsFailureSchema } from "./gen/longhaul/v1/job_events_service_pb.js";
import { JobService } from "./gen/longhaul/v1/job_service_pb.js";

const [port, adminKey] = process.argv.slice(2);
const baseUrl = `http://127.0.0.1:${port}`;
const as = (key) => [(next) => (request) => {
  request.header.set("Authorization", `Bearer ${key}`);
  return next(request);
}];
const BIG = '{"n":9007199254740993}';

const transports = {};
for (const useBinaryFormat of [true, false]) {
  const codec = useBinaryFormat ? "binary" : "json";
  transports[`grpc h2 ${codec}`] = (key) => createGrpcTransport({ baseUrl, useBinaryFormat, interceptors: as(key) });
  for (const httpVersion of ["1.1", "2"]) {
    const h = `h${httpVersion[0]} ${codec}`;
    transports[`grpc-web ${h}`] = (key) => createGrpcWebTransport({ baseUrl, httpVersion, useBinaryFormat, interceptors: as(key) });
    transports[`connect ${h}`] = (key) => createConnectTransport({ baseUrl, httpVersion, useBinaryFormat, interceptors: as(key) });
  }
}
for (const httpVersion of ["1.1", "2"]) {
  transports[`connect GET h${httpVersion[0]}`] = (key) => createConnectTransport({ baseUrl, httpVersion, useHttpGet: true, useBinaryFormat: httpVersion === "2", interceptors: as(key) });
}

function expect(actual, wanted, what) {
  if (actual !== wanted) throw new Error(`${what}: ${actual} (expected: ${wanted})`);
}

async function failure(call) {
  try {
    await call();
  } catch (e) {
    return ConnectError.from(e);
  }
  throw new Error("no error");
}

async function rest(method, path, body) {
  const reply = await fetch(baseUrl + path, {
    method,
    headers: { Authorization: `Bearer ${adminKey}`, "Content-Type": "application/json" },
    body: body && JSON.stringify(body),
  });
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
  return reply.status === 204 ? undefined : reply.json();
}


const calls = {
  async unary({ jobs, queue }) {
    const { jobId } = await jobs.enqueueJob({ queue, params: BIG });
    const { job } = await jobs.getJob({ jobId });
    expect(job.queue, queue, "queue");
    expect((await jobs.listJobs({ queue })).jobs.length, 1, "jobs");
  },
  async "unary error"({ jobs }) {
    const error = await failure(() => jobs.enqueueJob({ requestId: "17" }));
    expect(error.code, Code.InvalidArgument, "code");
    expect(error.rawMessage, "requestId: 17 (expected: a UUID)", "message");
    expect(error.details.map((one) => one.type).join(), "google.rpc.ErrorInfo,google.rpc.BadRequest", "details");
  },
  async "server stream"({ jobs, queue }) {
    await jobs.enqueueJob({ queue, params: "1" });
    await jobs.enqueueJob({ queue, params: "2" });
    const params = [];
    for await (const task of jobs.dequeueJob({ queue, maxJobs: 3, wait: { seconds: 5n } })) {
      params.push(task.params);
      await jobs.completeJob({ taskToken: task.taskToken, jobId: task.jobId, outcome: { case: "succeeded", value: { result: task.params } } });
    }
    expect(params.join(), `${BIG},1,2`, "params");
  },
  async "error in mid-stream"({ jobs, queue, transport }) {
    const { jobId } = await jobs.enqueueJob({ queue, delay: { seconds: 3600n } });
    const { id, secret } = await rest("POST", "/v1/keys", { name: `matrix-${queue}`, role: "viewer" });
    const events = createClient(JobEventsService, transport(secret));
    const seen = [];
    const error = await failure(async () => {
      for await (const one of events.streamJobEvents({ jobId })) {
        seen.push(...one.events);
        await rest("DELETE", `/v1/keys/${id}`);
      }
    });
    expect(seen.length, 1, "events");
    expect(error.code, Code.Unauthenticated, "code");
    expect(error.details.length, 1, "details");
  },
  async "client stream"({ jobs, events, queue }) {
    await jobs.enqueueJob({ queue });
    let task;
    for await (const one of jobs.dequeueJob({ queue, wait: { seconds: 5n } })) task = one;
    async function* batches(...sequences) {
      for (const sequence of sequences) {
        const event = { sequence, type: EventType.CUSTOM, time: timestampNow(), payload: BIG };
        yield { taskToken: task.taskToken, events: [event, { ...event, sequence: sequence + 1 }] };
      }
    }
    expect((await events.publishJobEvents(batches(1, 3, 5))).lastSequence, 6, "lastSequence");
    const error = await failure(() => events.publishJobEvents(batches(7, -1)));
    expect(error.code, Code.InvalidArgument, "code");
    expect(error.findDetails(PublishJobEventsFailureSchema)[0].lastSequence, 8, "lastSequence of the error");
    await jobs.completeJob({ taskToken: task.taskToken, jobId: task.jobId, outcome: { case: "succeeded", value: {} } });
    const stored = [];
    for await (const one of events.streamJobEvents({ jobId: task.jobId, types: [EventType.CUSTOM] })) stored.push(...one.events);
    expect(stored.map((one) => one.sequence).join(), "1,2,3,4,5,6,7,8", "stored");
    expect(stored[0].payload, BIG, "payload");
  },
};

const names = Object.keys(calls);
const width = Math.max(...names.map((name) => name.length));
console.log(`${"".padEnd(20)} ${names.map((name) => name.padEnd(width)).join(" ")}`);
let failed = 0;
for (const [name, transport] of Object.entries(transports)) {
  const key = transport(adminKey);
  const target = { queue: name.replace(/[^a-z0-9]/gi, "-"), transport, jobs: createClient(JobService, key), events: createClient(JobEventsService, key) };
  const line = [];
  for (const call of Object.values(calls)) {
    let timer;
    const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error("no answer in 20 s")), 20_000)));
    try {
      await Promise.race([call(target), late]);
      line.push("ok");
    } catch (e) {
      failed++;
      line.push(`FAILED: ${e.message}`);
    } finally {
      clearTimeout(timer);
    }
  }
  console.log(`${name.padEnd(20)} ${line.map((cell) => cell.padEnd(width)).join(" ")}`);
}
console.log(`${failed} calls failed`);
process.exit(failed === 0 ? 0 : 1);
