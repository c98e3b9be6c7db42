// The one way to the server: JSON in, JSON out, problems as exceptions that say what to do.

/** What the server refused, or why it could not be reached. */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || `The server returned ${status}.`);
    this.status = status;
    this.code = body.code || 'unknown';
    this.errors = body.errors || [];
  }
}

const listeners = new Set();
let reachable = true;
/** By how much this machine's clock is wrong; the header that tells has whole seconds, so small differences are none. */
let skewMillis = 0;
const LEAST_SKEW_MILLIS = 5000;

/** Calls back whenever the server comes within or out of reach, asks for a login, or cannot answer what a screen asks again and again. */
export function onAccess(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What time it is on the server. */
export const now = () => Date.now() + skewMillis;

function compareClocks(date) {
  const difference = Date.parse(date) - Date.now();
  skewMillis = Math.abs(difference) > LEAST_SKEW_MILLIS ? difference : 0;
}

function tell(news) {
  listeners.forEach((listener) => listener(news));
}

export function setReachable(now) {
  if (now !== reachable) {
    reachable = now;
    tell({ reachable });
  }
}

/** Tells what cannot be loaded any more although the server answers; null when all is well again. */
export const setFailing = (failing) => tell({ failing });

export async function call(method, path, body, signal) {
  const request = { method, signal, headers: { Accept: 'application/json' } };
  if (body !== undefined) {
    request.headers['Content-Type'] = 'application/json';
    request.body = typeof body === 'string' ? body : JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, request);
  } catch (e) {
    if (e.name !== 'AbortError') {
      setReachable(false);
    }
    throw e.name === 'AbortError' ? e : new Problem(0, { code: 'unreachable', detail: 'The server is unavailable.' });
  }
  setReachable(true);
  compareClocks(response.headers.get('date'));
  const text = await response.text();
  const json = (response.headers.get('content-type') || '').includes('json');
  if (!response.ok) {
    const problem = new Problem(response.status, json ? JSON.parse(text) : {});
    if (response.status === 401) {
      tell({ login: problem.message });
    }
    throw problem;
  }
  return json ? parse(text) : text;
}

export const get = (path, signal) => call('GET', path, undefined, signal);
export const post = (path, body) => call('POST', path, body ?? {});

/** JSON whose integers may be larger than a double: those stay exact, as text. */
function parse(text) {
  return JSON.parse(text, (key, value, context) =>
    typeof value === 'number' && context?.source && /^-?\d{16,}$/.test(context.source) && !Number.isSafeInteger(value)
      ? new ExactNumber(context.source)
      : value);
}

/** A number that is shown and sent back digit by digit. */
export class ExactNumber {
  constructor(digits) {
    this.digits = digits;
  }

  toString() {
    return this.digits;
  }

  toJSON() {
    return JSON.rawJSON ? JSON.rawJSON(this.digits) : Number(this.digits);
  }
}

/** A path with those query parameters that have a value. */
export function withQuery(path, params) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== null && value !== '') {
      query.set(name, value);
    }
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}
