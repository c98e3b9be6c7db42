// Commands to paste into a terminal. A test checks every `longhaul` command in this file against the CLI's own options.
import { url } from './api.js';

/** The server's URL. */
const SERVER = location.origin + url('');

/** Returns a word of a shell command, quoted if the shell would change it. */
const word = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${String(text).replaceAll("'", `'\\''`)}'`);

/** A POST request with curl. It includes the API key, or the file of the local token, if the server requires one. */
export function curl(session, path, body) {
  const key = session.headerFile ? ` -H ${word(`@${session.headerFile}`)}`
    : session.name === 'local' || session.login === 'application' ? '' : ' -H "Authorization: Bearer $LONGHAUL_KEY"';
  return `curl -s ${SERVER}${path}${key} -H 'Content-Type: application/json' \\\n  -d ${word(JSON.stringify(body))}`;
}

/** A request that submits the same job again. Includes queue, attempts and timeout, because the definition's defaults may have changed. */
export function submission(job) {
  return {
    definitionKey: job.definitionKey, definitionVersion: job.definitionVersion, params: job.params ?? {}, queue: job.queue,
    ...(job.name === undefined ? {} : { name: job.name }),
    ...(job.priority ? { priority: job.priority } : {}),
    ...(job.maxAttempts === undefined ? {} : { maxAttempts: job.maxAttempts }),
    ...(job.timeoutSeconds === undefined ? {} : { timeoutSeconds: job.timeoutSeconds }),
    ...(job.correlationId === undefined ? {} : { correlationId: job.correlationId }),
    ...(Object.keys(job.labels ?? {}).length ? { labels: job.labels } : {}),
  };
}

/** A CLI command that submits the same job again. */
export function submit(job) {
  const { definitionKey, definitionVersion, params, queue, name, priority, maxAttempts, timeoutSeconds, correlationId, labels } = submission(job);
  const options = {
    '--name': name, '--queue': queue, '--priority': priority, '--attempts': maxAttempts,
    '--timeout': timeoutSeconds === undefined ? undefined : `${timeoutSeconds}s`, '--correlation-id': correlationId,
  };
  return [
    `./longhaul submit ${word(`${definitionKey}@${definitionVersion}`)} --url ${SERVER} --params ${word(JSON.stringify(params))}`,
    // With an equals sign, because a value may begin with a dash.
    ...Object.entries(options).filter(([, value]) => value !== undefined).map(([option, value]) => word(`${option}=${value}`)),
    ...Object.entries(labels ?? {}).map(([key, value]) => `--label ${word(`${key}=${value}`)}`),
  ].join(' ');
}

const DEFAULT_SERVER = 'http://127.0.0.1:8080';

/** A CLI command that submits a first job and follows it. */
export const submitFirst = (definitionKey, params) =>
  `./longhaul submit ${word(definitionKey)} --params ${word(JSON.stringify(params))} --follow${SERVER === DEFAULT_SERVER ? '' : ` --url ${SERVER}`}`;

export const START_DEMO = './longhaul dev';
export const START_WORKER = './longhaul worker --store postgres://user@db.example.com/jobs --jobs my-jobs.jar';
export const START_SERVER = './longhaul server --jobs my-jobs.jar';
export const CREATE_KEY = './longhaul keys create --role operator --name NAME';
