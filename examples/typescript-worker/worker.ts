// A worker in TypeScript: takes jobs of a queue, keeps them while it works on them, and tells how they ended.
// npm install && npm run build && node dist/worker.js http://127.0.0.1:8080 my-queue 4
import { hostname } from "node:os";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { type CompleteJobRequestSchema, JobService, type DequeueJobResponse } from "./gen/longhaul/v1/job_service_pb.js";

const [baseUrl = "http://127.0.0.1:8080", queue = "default", atOnce = "4"] = process.argv.slice(2);
const VISIBILITY = BigInt(process.env.LONGHAUL_VISIBILITY ?? 15); // seconds that a job stays ours without an update

const withKey: Interceptor = (next) => (request) => {
  if (process.env.LONGHAUL_KEY) request.header.set("Authorization", `Bearer ${process.env.LONGHAUL_KEY}`);
  return next(request);
};
const jobs = createClient(JobService, createConnectTransport({ baseUrl, httpVersion: "2", interceptors: [withKey] }));

const REFUSED = [Code.InvalidArgument, Code.NotFound, Code.FailedPrecondition, Code.PermissionDenied, Code.Unauthenticated];
type Outcome = MessageInitShape<typeof CompleteJobRequestSchema>["outcome"];

/** The work itself: here it waits as long as the params say, and answers who did it. */
async function work(params: { millis?: number }, cancelled: AbortSignal): Promise<unknown> {
  for (let left = params.millis ?? 0; left > 0 && !cancelled.aborted; left -= 100) {
    await new Promise((done) => setTimeout(done, Math.min(left, 100)));
  }
  cancelled.throwIfAborted();
  return { by: `typescript ${process.pid}` };
}

async function run(task: DequeueJobResponse): Promise<void> {
  const { taskToken, jobId } = task;
  const cancelled = new AbortController();
  const keep = setInterval(async () => {
    try {
      const answer = await jobs.updateJob({ taskToken, queue, visibilityTimeout: { seconds: VISIBILITY } });
      if (answer.cancelRequested) cancelled.abort();
    } catch (e) {
      if (ConnectError.from(e).code === Code.NotFound) cancelled.abort(); // it is somebody else's now
    }
  }, (1000 * Number(VISIBILITY)) / 3);
  let outcome: Outcome;
  try {
    const result = JSON.stringify(await work(JSON.parse(task.params), cancelled.signal));
    outcome = { case: "succeeded", value: { result } };
  } catch (e) {
    outcome = cancelled.signal.aborted
      ? { case: "cancelled", value: {} }
      : { case: "failed", value: { message: String(e), retryable: true } };
  }
  await complete(task, outcome);
  clearInterval(keep);
}

/** Tells how a job ended, however long the server is away: the same again is answered the same. */
async function complete({ taskToken, jobId }: DequeueJobResponse, outcome: Outcome): Promise<void> {
  for (;;) {
    try {
      await jobs.completeJob({ taskToken, jobId, outcome }, { timeoutMs: 10_000 });
      return;
    } catch (e) {
      console.error(`${jobId}: ${e}`);
      if (REFUSED.includes(ConnectError.from(e).code)) return; // the job is no longer ours, or runs again when its time is up
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
