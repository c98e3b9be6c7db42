// News as they happen. A tab holds one stream at most (browsers allow six per server), and none while it is hidden.
import { setFailing, setReachable } from './api.js';

const LONGEST_PAUSE = 30_000;

/**
 * A stream of server-sent events that comes back by itself, also where EventSource gives up.
 * `address` is asked again at each connection, so that it can say where to go on.
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
    const source = new EventSource(this.address());
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
        this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
      }
    };
    for (const [type, handler] of Object.entries(this.handlers)) {
      source.addEventListener(type, (event) => handler(JSON.parse(event.data), event));
    }
    // The server is going away: it or another one is there in a moment.
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

/** Gathers calls and passes them on together, at most that often. */
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

/** Does it at once, and once more if that is asked for meanwhile: never two at a time, and with a pause in between. */
export function paced(deed, pauseMillis) {
  let asked = false;
  let going = false;
  return async () => {
    asked = true;
    if (going) {
      return;
    }
    going = true;
    while (asked) {
      asked = false;
      await deed();
      await new Promise((over) => setTimeout(over, pauseMillis));
    }
    going = false;
  };
}

/** What is shown but could not be loaded again, with what the server says about it. */
const failing = new Map();

function note(poll, error) {
  if (error ? failing.get(poll) !== error.message : failing.has(poll)) {
    error ? failing.set(poll, error.message) : failing.delete(poll);
    setFailing(failing.values().next().value ?? null);
  }
}

/** A Lit controller that loads something again and again while its host is shown, and keeps what it had on failure. */
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
    note(this, null);
  }

  /** Loads now; what was under way is dropped. */
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
      note(this, null);
    } catch (e) {
      if (abort.signal.aborted) {
        return;
      }
      this.error = e;
      // Out of reach is told by itself.
      note(this, this.value !== null && e.status ? e : null);
    }
    this.host.requestUpdate();
    if (this.#on && this.everyMillis && !document.hidden) {
      this.#timer = setTimeout(() => this.refresh(), this.everyMillis);
    }
  }
}
