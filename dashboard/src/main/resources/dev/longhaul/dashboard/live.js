// Streams and polls. A tab opens at most one stream (browsers allow six connections per server), and none while it is
// hidden.
import { setFailing, setReachable, url } from './api.js';

const MAX_PAUSE = 30_000;

/**
 * A stream of server-sent events that reconnects, even after errors that make EventSource give up. `address()` is
 * called for each connection, so that it can contain the position from which to resume.
 */
export class Stream {
  #source = null;
  #timer = 0;
  #pause = 1000;
  #closed = false;

  constructor(address, handlers, onState = () => {}) {
    this.address = address;
    this.handlers = handlers;
    this.onState = onState;
    this.visibility = () => (document.hidden ? this.#disconnect() : this.#connect());
    document.addEventListener('visibilitychange', this.visibility);
    if (!document.hidden) {
      this.#connect();
    }
  }

  #connect() {
    if (this.#closed || this.#source) {
      return;
    }
    clearTimeout(this.#timer);
    const source = new EventSource(url(this.address()));
    this.#source = source;
    source.onopen = () => {
      this.#pause = 1000;
      setReachable(true);
      this.onState('live');
    };
    source.onerror = () => {
      this.onState('reconnecting');
      if (source.readyState === EventSource.CLOSED) {
        this.#disconnect();
        this.#timer = setTimeout(() => this.#connect(), this.#pause);
        this.#pause = Math.min(this.#pause * 2, MAX_PAUSE);
      }
    };
    for (const [type, handler] of Object.entries(this.handlers)) {
      source.addEventListener(type, (event) => handler(JSON.parse(event.data), event));
    }
    // The server is shutting down. The stream reconnects, to this server or to another one.
    source.addEventListener('drain', () => this.onState('reconnecting'));
  }

  #disconnect() {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#source = null;
  }

  close() {
    this.#closed = true;
    document.removeEventListener('visibilitychange', this.visibility);
    this.#disconnect();
    this.onState('closed');
  }
}

/**
 * Returns a function that collects the arguments of its calls, and delivers them as one list at most once per interval.
 */
export function coalesced(deliver, everyMillis) {
  let gathered = [];
  let timer = 0;
  const flush = () => {
    timer = 0;
    const all = gathered;
    gathered = [];
    requestAnimationFrame(() => deliver(all));
  };
  return (one) => {
    gathered.push(one);
    timer ||= setTimeout(flush, everyMillis);
  };
}

/**
 * Returns a function that runs the action immediately, and again if it was called meanwhile. Runs do not overlap; there
 * is a pause between them.
 */
export function paced(action, pauseMillis) {
  let requested = false;
  let running = false;
  return async () => {
    requested = true;
    if (running) {
      return;
    }
    running = true;
    while (requested) {
      requested = false;
      await action();
      await new Promise((resolve) => setTimeout(resolve, pauseMillis));
    }
    running = false;
  };
}

/** Polls whose last load failed, with the server's error message. */
const failing = new Map();

function setPollError(poll, error) {
  if (error ? failing.get(poll) !== error.message : failing.has(poll)) {
    error ? failing.set(poll, error.message) : failing.delete(poll);
    setFailing(failing.values().next().value ?? null);
  }
}

/** A Lit controller that loads a value periodically while its host is shown. A failed load keeps the last value. */
export class Poll {
  value = null;
  error = null;
  #timer = 0;
  #abort = null;
  #on = false;

  constructor(host, load, everyMillis) {
    this.host = host;
    this.load = load;
    this.everyMillis = everyMillis;
    this.visibility = () => document.hidden || this.refresh();
    host.addController(this);
  }

  hostConnected() {
    this.#on = true;
    document.addEventListener('visibilitychange', this.visibility);
    this.refresh();
  }

  hostDisconnected() {
    this.#on = false;
    document.removeEventListener('visibilitychange', this.visibility);
    clearTimeout(this.#timer);
    this.#abort?.abort();
    setPollError(this, null);
  }

  /** Loads the value now; aborts a load in progress. */
  async refresh() {
    if (!this.#on) {
      return;
    }
    clearTimeout(this.#timer);
    this.#abort?.abort();
    const abort = new AbortController();
    this.#abort = abort;
    try {
      const value = await this.load(abort.signal);
      if (abort.signal.aborted) {
        return;
      }
      this.value = value;
      this.error = null;
      setPollError(this, null);
    } catch (e) {
      if (abort.signal.aborted) {
        return;
      }
      this.error = e;
      // An error without a status means that the server is unreachable, which setReachable has already reported.
      setPollError(this, this.value !== null && e.status ? e : null);
    }
    this.host.requestUpdate();
    if (this.#on && this.everyMillis && !document.hidden) {
      this.#timer = setTimeout(() => this.refresh(), this.everyMillis);
    }
  }
}
