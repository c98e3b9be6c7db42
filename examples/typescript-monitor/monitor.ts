// A monitor in TypeScript: prints the events of a job as they happen, until the job has ended.
// npm install && npm run build && LONGHAUL_KEY=$(cat .longhaul/token) node dist/monitor.js http://127.0.0.1:8080 JOB_ID
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { EventType, type JobEvent, JobEventsService } from "./gen/longhaul/v1/job_events_service_pb.js";
import { JobService } from "./gen/longhaul/v1/job_service_pb.js";
import { JobState } from "./gen/longhaul/v1/job_pb.js";

const [baseUrl, jobId] = process.argv.slice(2);
if (!baseUrl || !jobId) {
  console.error("usage: node dist/monitor.js URL JOB_ID");
  process.exit(2);
}
const withKey: Interceptor = (next) => (request) => {
  if (process.env.LONGHAUL_KEY) request.header.set("Authorization", `Bearer ${process.env.LONGHAUL_KEY}`);
  return next(request);
};
const transport = createConnectTransport({ baseUrl, httpVersion: "2", interceptors: [withKey] });
const events = createClient(JobEventsService, transport);
const jobs = createClient(JobService, transport);

/** Output as its stream, its bytes and its text; the end of a process as its exit code; the payload of all other events. */
function describe(event: JobEvent): string {
  const payload = event.payload ? JSON.parse(event.payload) : {};
  if (event.type === EventType.OUTPUT) {
    return (payload.outputs ?? [payload]).map(printed).join(" ");
  }
  return event.type === EventType.PROCESS_END ? `exit code ${payload.exitCode ?? "none"} ${event.payload}` : event.payload;
}

function printed({ stream, text, base64 }: { stream: string; text?: string; base64?: string }): string {
  const bytes = text === undefined ? Buffer.from(base64 ?? "", "base64") : Buffer.from(text);
  return `${stream} ${bytes.length} bytes: ${JSON.stringify(text ?? bytes.toString("latin1"))}`;
}

const REFUSED = [Code.InvalidArgument, Code.NotFound, Code.PermissionDenied, Code.Unauthenticated];
let afterPosition = 0;
for (let ended = false; !ended; ) {
  try {
    for await (const message of events.streamJobEvents({ jobId, afterPosition })) {
      for (const event of message.events) {
        const at = event.time ? timestampDate(event.time).toISOString() : "";
        console.log(`${at} ${String(event.position).padStart(4)} run ${event.run} ${EventType[event.type]} ${describe(event)}`);
        afterPosition = event.position;
      }
    }
    ended = true;
  } catch (e) {
    // The server drains or the connection broke: reconnect and resume after the last position.
    if (REFUSED.includes(ConnectError.from(e).code)) throw e;
    await new Promise((done) => setTimeout(done, 1000));
  }
}
const { job } = await jobs.getJob({ jobId });
console.log(`${jobId}: ${JobState[job?.state ?? 0]} ${job?.result ?? job?.failure?.message ?? ""}`);
