// The live output of a job. Lines are appended to the page once per frame. This does not use Lit, which would compare
// thousands of rows each time.
import { html, nothing } from 'lit';
import { replaceQuery } from './address.js';
import { newState, pieces } from './ansi.js';
import { url } from './api.js';
import { clockTime, number, plural } from './format.js';
import { Screen } from './parts.js';

/** Maximum number of lines on the page, and of lines in memory for the search. The download has all lines. */
const MAX_LINES = 5000;
const MAX_KEPT = 50_000;
/** Distance in pixels from the end within which the view follows new lines. */
const FOLLOW_PIXELS = 40;

class LogView extends Screen {
  static properties = { jobId: {}, live: { type: Boolean }, follow: { state: true }, search: {}, hits: { state: true },
    lines: { state: true } };

  constructor() {
    super();
    this.pending = [];
    this.follow = true;
    this.search = '';
    this.clear();
  }

  clear() {
    this.partialLines = new Map();
    this.states = new Map();
    this.kept = [];
    this.lines = 0;
    this.hits = 0;
    this.empty();
  }

  firstUpdated() {
    this.flush();
  }

  updated(changes) {
    if (changes.has('search')) {
      this.find();
    }
  }

  get box() {
    return this.querySelector('.log-lines');
  }

  /** Adds an event of type log or output. */
  add(event) {
    const payload = event.payload ?? {};
    if (event.type === 'log') {
      this.push({
        at: event.at, run: event.run, stream: payload.level ?? 'info', text: String(payload.message ?? ''), data: fieldsOf(payload.data),
      });
      return;
    }
    const stream = payload.stream ?? 'stdout';
    const key = `${event.run} ${stream}`;
    const text = (this.partialLines.get(key) ?? '') + textOf(payload);
    const parts = text.split('\n');
    this.partialLines.set(key, parts.pop());
    // Text after a carriage return overwrites the line, as in progress bars, so only the text after the last one is
    // kept.
    parts.forEach((line) => this.push({ at: event.at, run: event.run, stream, text: line.replace(/\r$/, '').replace(/^.*\r/s, '') }));
  }

  /** Adds last lines that do not end with a newline. */
  end() {
    for (const [key, text] of this.partialLines) {
      if (text) {
        const [run, stream] = key.split(' ');
        this.push({ run: Number(run), stream, text });
      }
    }
    this.partialLines.clear();
  }

  push(line) {
    this.pending.push(line);
    this.frame ||= requestAnimationFrame(() => this.flush());
  }

  flush() {
    this.frame = 0;
    if (!this.box) {
      return;
    }
    const added = this.pending.map((line) => this.styled(line));
    this.pending = [];
    this.kept = this.kept.concat(added).slice(-MAX_KEPT);
    this.lines += added.length;
    this.append(added);
    if (this.follow) {
      this.box.scrollTop = this.box.scrollHeight;
    }
  }

  /** Adds rows for the lines that match the search, and removes the oldest rows beyond the limit. */
  append(lines) {
    const { box } = this;
    const search = this.search.toLowerCase();
    const found = search ? lines.filter((line) => line.plain.includes(search)) : lines;
    this.hits += search ? found.length : 0;
    const rows = document.createDocumentFragment();
    for (const line of found.slice(-MAX_LINES)) {
      if (this.run !== undefined && line.run !== this.run) {
        rows.append(divider(line.run));
      }
      this.run = line.run;
      rows.append(element(line));
    }
    box.append(rows);
    for (let surplus = box.childElementCount - MAX_LINES; surplus > 0; surplus--) {
      box.firstElementChild.remove();
    }
  }

  empty() {
    this.run = undefined;
    this.box?.replaceChildren();
  }

  find() {
    this.hits = 0;
    this.empty();
    this.append(this.kept);
  }

  /** Returns a line with its colours. Colours of a stream continue on its next line. */
  styled(line) {
    const key = `${line.run} ${line.stream}`;
    if (!this.states.has(key)) {
      this.states.set(key, newState());
    }
    const parts = pieces(line.text, this.states.get(key));
    if (line.data) {
      parts.push({ text: ` ${line.data}`, classes: 'log-data' });
    }
    return { at: line.at, run: line.run, stream: line.stream, parts, plain: parts.map((one) => one.text).join('').toLowerCase() };
  }

  scrolled(event) {
    const box = event.target;
    if (!box.clientHeight) {
      return;
    }
    this.follow = box.scrollHeight - box.scrollTop - box.clientHeight < FOLLOW_PIXELS;
  }

  /** Scrolls to the end when the view is shown again, if it follows the output. */
  keepUp() {
    if (this.follow && this.box) {
      this.toEnd();
    }
  }

  toEnd() {
    this.follow = true;
    this.box.scrollTop = this.box.scrollHeight;
  }

  /** Describes how much of the output is shown or searched. */
  extent() {
    const [shown, all] = this.search ? [MAX_KEPT, plural(this.hits, 'matching line')] : [MAX_LINES, ''];
    return this.lines <= shown ? all
      : `${all ? `${all} in the` : 'The'} last ${number(shown)} of ${number(this.lines)} lines. The download has all lines.`;
  }

  render() {
    return html`<div class="log">
      <div class="log-bar">
        <input type="search" data-search placeholder="Search the output" aria-label="Search the output" .value=${this.search}
          @input=${(event) => replaceQuery({ find: event.target.value })}>
        <span class="faint small" role="status">${this.extent()}</span>
        <span class="grow"></span>
        ${this.live ? html`<button type="button" class="button is-quiet" aria-pressed=${this.follow} @click=${this.toEnd}>
          ${this.follow ? 'Following' : 'Follow'}</button>` : nothing}
        <a class="button is-quiet" href=${url(`/v1/jobs/${this.jobId}/log`)} download="${this.jobId}.log">Download</a>
      </div>
      <div class="log-lines" tabindex="0" role="log" aria-label="Output" aria-live="off" @scroll=${this.scrolled}></div>
      ${this.lines ? nothing : html`<p class="log-empty ${this.live ? '' : 'is-final'}">${this.live ? 'No output yet.'
        : 'This job wrote no log or output.'}</p>`}
    </div>`;
  }
}

function element(line) {
  const row = document.createElement('div');
  row.className = `log-line is-${/^[a-z]+$/.test(line.stream) ? line.stream : 'stdout'}`;
  const at = document.createElement('span');
  at.className = 'log-time';
  at.textContent = line.at ? clockTime(line.at) : '';
  const text = document.createElement('span');
  text.className = 'log-text';
  for (const part of line.parts) {
    const span = document.createElement('span');
    span.textContent = part.text;
    span.className = part.classes;
    text.append(span);
  }
  row.append(at, text);
  return row;
}

function divider(run) {
  const row = document.createElement('div');
  row.className = 'log-run';
  row.textContent = `run ${run}`;
  return row;
}

/** Formats the structured data of a line as key=value, like `longhaul logs`. */
function fieldsOf(data) {
  const word = (text) => (/^[^\s"=]+$/.test(text) ? text : JSON.stringify(text));
  return Object.entries(data ?? {})
    .map(([key, value]) => `${word(key)}=${typeof value === 'string' ? word(value) : JSON.stringify(value)}`)
    .join(' ');
}

function textOf(payload) {
  if (payload.base64 === undefined) {
    return payload.text ?? '';
  }
  const bytes = Uint8Array.from(atob(payload.base64), (char) => char.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}

customElements.define('log-view', LogView);
