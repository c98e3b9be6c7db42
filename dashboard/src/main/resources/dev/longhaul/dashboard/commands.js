// Commands to paste into a terminal. A test parses every `longhaul` command of this file with the CLI's own parser.

/** A word of a shell command, quoted where the shell would change it. */
const word = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${String(text).replaceAll("'", `'\\''`)}'`);

/** A POST with curl. Servers with API keys also need the caller's key, those with a local token its file. */
export function curl(session, path, body) {
  const key = session.headerFile ? ` -H ${word(`@${session.headerFile}`)}`
    : session.name === 'local' ? '' : ' -H "Authorization: Bearer $LONGHAUL_KEY"';
  return `curl -s ${location.origin}${path}${key} -H 'Content-Type: application/json' \\\n  -d ${word(JSON.stringify(body))}`;
}

/** The same job again. What its definition decides by default (queue, attempts, timeout) is named too: defaults may have changed since. */
export function again(job) {
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

/** The same job again, with the CLI. */
export function submit(job) {
  const { definitionKey, definitionVersion, params, queue, name, priority, maxAttempts, timeoutSeconds, correlationId, labels } = again(job);
  const options = {
    '--name': name, '--queue': queue, '--priority': priority, '--attempts': maxAttempts,
    '--timeout': timeoutSeconds === undefined ? undefined : `${timeoutSeconds}s`, '--correlation-id': correlationId,
  };
  return [
    `longhaul submit ${word(`${definitionKey}@${definitionVersion}`)} --url ${location.origin} --params ${word(JSON.stringify(params))}`,
    // With an equals sign, so that a value may begin with a dash.
    ...Object.entries(options).filter(([, value]) => value !== undefined).map(([option, value]) => word(`${option}=${value}`)),
    ...Object.entries(labels ?? {}).map(([key, value]) => `--label ${word(`${key}=${value}`)}`),
  ].join(' ');
}

export const submitTo = (definitionKey, queue, params) =>
  `longhaul submit ${word(definitionKey)} --queue ${queue} --params ${word(JSON.stringify(params))} --url ${location.origin}`;

export const START_DEMO = 'longhaul dev';
export const START_WORKER = 'longhaul worker --store postgres://user@db.example.com/jobs --jobs my-jobs.jar';
export const START_SERVER = 'longhaul server --jobs my-jobs.jar';
export const CREATE_KEY = 'longhaul keys create --role operator --name NAME';
