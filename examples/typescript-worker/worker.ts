// A worker in TypeScript: dequeues jobs, renews them while it works on them, publishes their output, and reports how they ended.
// npm install && npm run build && LONGHAUL_KEY=$(cat .longhaul/token) node dist/worker.js http://127.0.0.1:8080 my-queue 4
import { hostname } from "node:os";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampNow } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { EventType, JobEventsService, type NewEventSchema, OutputStream } from "./gen/longhaul/v1/job_events_service_pb.js";
import { type CompleteJobRequestSchema, JobService, type DequeueJobResponse } from "./gen/longhaul/v1/job_service_pb.js";

const [baseUrl = "http://127.0.0.1:8080", queue = "default", atOnce = "4"] = process.argv.slice(2);
const VISIBILITY = BigInt(process.env.LONGHAUL_VISIBILITY ?? 15); // seconds that a job stays ours without an update

const withKey: Interceptor = (next) => (request) => {
  if (process.env.LONGHAUL_KEY) request.header.set("Authorization", `Bearer ${process.env.LONGHAUL_KEY}`);
  return next(request);
};
const transport = createConnectTransport({ baseUrl, httpVersion: "2", interceptors: [withKey] });
const jobs = createClient(JobService, transport);
const events = createClient(JobEventsService, transport);

const REFUSED = [Code.InvalidArgument, Code.NotFound, Code.FailedPrecondition, Code.PermissionDenied, Code.Unauthenticated];
type Outcome = MessageInitShape<typeof CompleteJobRequestSchema>["outcome"];

/** The output of one run. Events are numbered from 1; a batch that fails is sent again, and the server skips what it has. */
class Output {
  private waiting: MessageInitShape<typeof NewEventSchema>[] = [];
  private sequence = 0;

  constructor(private readonly taskToken: string) {}

  print(text: string): void {
    const outputs = [{ stream: OutputStream.STDOUT, data: new TextEncoder().encode(text) }];
    this.waiting.push({ sequence: ++this.sequence, type: EventType.OUTPUT, time: timestampNow(), outputs });
  }

  async flush(): Promise<void> {
    const batch = [...this.waiting];
    const taskToken = this.taskToken;
    if (batch.length === 0) return;
    async function* messages() {
      yield { taskToken, events: batch };
    }
    try {
      await events.publishJobEvents(messages(), { timeoutMs: 10_000 });
      this.waiting.splice(0, batch.length);
    } catch (e) {
      console.error(`output: ${e}`); // kept for the next flush
    }
  }
}

/** The work itself: waits as long as the params say, and returns the worker and as many bytes as requested. */
async function work(params: { millis?: number; bytes?: number }, output: Output, cancelled: AbortSignal): Promise<unknown> {
  output.print(`working for ${params.millis ?? 0} ms\n`);
  for (let left = params.millis ?? 0; left > 0 && !cancelled.aborted; left -= 100) {
    await new Promise((done) => setTimeout(done, Math.min(left, 100)));
  }
  cancelled.throwIfAborted();
  return { by: `typescript ${process.pid}`, ...(params.bytes && { bytes: "x".repeat(params.bytes) }) };
}

async function run(task: DequeueJobResponse): Promise<void> {
  const { taskToken } = task;
  const cancelled = new AbortController();
  const output = new Output(taskToken);
  const keep = setInterval(async () => {
    try {
      const response = await jobs.updateJob({ taskToken, queue, visibilityTimeout: { seconds: VISIBILITY } });
      if (response.cancelRequested) cancelled.abort();
    } catch (e) {
      if (ConnectError.from(e).code === Code.NotFound) cancelled.abort(); // timed out, cancelled, or claimed by another worker
    }
    await output.flush();
  }, (1000 * Number(VISIBILITY)) / 3);
  let outcome: Outcome;
  try {
    const result = JSON.stringify(await work(JSON.parse(task.params), output, cancelled.signal));
    outcome = { case: "succeeded", value: { result } };
  } catch (e) {
    outcome = cancelled.signal.aborted
      ? { case: "cancelled", value: {} }
      : { case: "failed", value: { message: String(e), retryable: true } };
  }
  await output.flush();
  await complete(task, outcome);
  clearInterval(keep);
}

/** Whether the server has ended the run because its result is too large; another ResourceExhausted is a rate limit. */
const tooLarge = (error: ConnectError) =>
  error.code === Code.ResourceExhausted &&
  error.details.some((detail) => "value" in detail && Buffer.from(detail.value as Uint8Array).includes("TOO_LARGE"));

/** Reports how a job ended, however long the server is unavailable; repeating the same report is safe. */
async function complete({ taskToken, jobId }: DequeueJobResponse, outcome: Outcome): Promise<void> {
  for (;;) {
    try {
      await jobs.completeJob({ taskToken, jobId, outcome }, { timeoutMs: 10_000 });
      return;
    } catch (e) {
      console.error(`${jobId}: ${e}`);
      const error = ConnectError.from(e);
      if (REFUSED.includes(error.code) || tooLarge(error)) return; // the run has ended, or its lease expires
      await new Promise((done) => setTimeout(done, 1000));
    }
  }
}

async function loop(): Promise<never> {
  for (;;) {
    try {
      const workerId = `typescript-${process.pid}@${hostname()}`;
      const visibilityTimeout = { seconds: VISIBILITY };
      for await (const task of jobs.dequeueJob({ queue, maxJobs: 1, wait: { seconds: 20n }, visibilityTimeout, workerId })) {
        console.log(`${task.jobId} run ${task.run}`);
        await run(task);
      }
    } catch (e) {
      console.error(String(e));
      await new Promise((done) => setTimeout(done, 1000));
    }
  }
}

await Promise.all(Array.from({ length: Number(atOnce) }, loop));
