// Sends all requests to the server: JSON in, JSON out, errors as a Problem.

/** An error response of the server, or a failed connection (status 0). */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || `The server returned ${status}.`);
    this.status = status;
    this.code = body.code || 'unknown';
    this.errors = body.errors || [];
  }
}

/** The path of the page; paths of the API are below it. Empty if the page is at the root. */
const BASE = new URL('.', document.baseURI).pathname.slice(0, -1);

/** Returns the URL of an API path. */
export const url = (path) => BASE + path;

const listeners = new Set();
let reachable = true;
/** Server clock minus browser clock. The Date header has whole seconds only, so small differences are ignored. */
let skewMillis = 0;
const MIN_SKEW_MILLIS = 5000;

/**
 * Registers a listener for { reachable }, { login } (the server requires a login) and { failing } (a poll gets errors).
 */
export function onConnectionChange(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the time on the server. */
export const now = () => Date.now() + skewMillis;

function compareClocks(date) {
  const difference = Date.parse(date) - Date.now();
  skewMillis = Math.abs(difference) > MIN_SKEW_MILLIS ? difference : 0;
}

function notify(change) {
  listeners.forEach((listener) => listener(change));
}

export function setReachable(now) {
  if (now !== reachable) {
    reachable = now;
    notify({ reachable });
  }
}

/** Reports the error message of a poll that fails although the server responds; null when all polls succeed again. */
export const setFailing = (failing) => notify({ failing });

/** The header and the token that the embedding application requires for changes; null if it requires none. */
let csrf = null;

/**
 * Returns the logged-in caller. In an application, the response contains the CSRF token, which changes with each login.
 */
export async function session() {
  const found = await get('/v1/session');
  csrf = found.csrf ?? null;
  return found;
}

/** Whether the application expects the token of the cookie, as its configuration for single-page applications does. */
let csrfOfCookie = false;

/** The token that an application with such a configuration keeps in a cookie for scripts; null without one. */
function cookieToken() {
  const found = document.cookie.split('; ').find((one) => one.startsWith('XSRF-TOKEN='));
  return found ? decodeURIComponent(found.slice(found.indexOf('=') + 1)) : null;
}

export async function call(method, path, body, signal) {
  const sent = csrf;
  try {
    return await send(method, path, body, signal);
  } catch (e) {
    // The response is not a Problem of the API: the application has rejected the token.
    if (e.status !== 403 || e.code !== 'unknown' || !sent || method === 'GET') {
      throw e;
    }
  }
  // It may be outdated, or have the wrong form: Spring Security's own is masked, that of the cookie is not.
  await session();
  if (cookieToken()) {
    csrfOfCookie = !csrfOfCookie;
    try {
      return await send(method, path, body, signal);
    } catch (e) {
      if (e.status !== 403 || e.code !== 'unknown') {
        throw e;
      }
      csrfOfCookie = !csrfOfCookie;
    }
  }
  return send(method, path, body, signal);
}

async function send(method, path, body, signal) {
  // With the second header Spring Security returns 401 without asking the browser for a password. An application with a
  // login form only redirects to it.
  const request = { method, signal, headers: { Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest' } };
  if (csrf && method !== 'GET') {
    request.headers[csrf.header] = (csrfOfCookie && cookieToken()) || csrf.token;
  }
  if (body !== undefined) {
    request.headers['Content-Type'] = 'application/json';
    request.body = typeof body === 'string' ? body : JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(url(path), request);
  } catch (e) {
    if (e.name !== 'AbortError') {
      setReachable(false);
    }
    throw e.name === 'AbortError' ? e : new Problem(0, { code: 'unreachable', detail: 'The server is unavailable.' });
  }
  setReachable(true);
  compareClocks(response.headers.get('date'));
  const text = await response.text();
  if ((response.headers.get('content-type') || '').includes('text/html')) {
    // The response is a page of the application, such as its login form.
    const expired = response.ok || response.status === 401;
    const problem = new Problem(expired ? 401 : response.status, expired ? { detail: 'You are not logged in.' } : {});
    if (expired) {
      notify({ login: problem.message });
    }
    throw problem;
  }
  const json = (response.headers.get('content-type') || '').includes('json');
  if (!response.ok) {
    const problem = new Problem(response.status, json ? JSON.parse(text) : {});
    if (response.status === 401) {
      notify({ login: problem.message });
    }
    throw problem;
  }
  return json ? parse(text) : text;
}

export const get = (path, signal) => call('GET', path, undefined, signal);
export const post = (path, body) => call('POST', path, body ?? {});

/** Parses JSON. Keeps integers that a double cannot hold as text, so that they stay exact. */
function parse(text) {
  return JSON.parse(text, (key, value, context) =>
    typeof value === 'number' && context?.source && /^-?\d{16,}$/.test(context.source) && !Number.isSafeInteger(value)
      ? new ExactNumber(context.source)
      : value);
}

/** A number that is shown, and sent back, with exactly the same digits. */
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

/** Returns the path with all query parameters that have a value. */
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
