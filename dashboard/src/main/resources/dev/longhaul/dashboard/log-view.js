// What a job writes, as it writes it. Lines go straight to the page, gathered per frame: Lit would compare thousands at each.
import { html, nothing } from 'lit';
import { note } from './address.js';
import { newState, pieces } from './ansi.js';
import { clockTime, number, plural } from './format.js';
import { Screen } from './parts.js';

/** Lines on the page, and lines that a search looks through. The download has all. */
const MOST_LINES = 5000;
const MOST_KEPT = 50_000;
const NEAR_END = 40;

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
    this.begun = new Map();
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

  /** Takes an event of type log or output. */
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
    const text = (this.begun.get(key) ?? '') + textOf(payload);
    const parts = text.split('\n');
    this.begun.set(key, parts.pop());
    // A carriage return paints over the line, as progress bars do: what was painted last counts.
    parts.forEach((line) => this.push({ at: event.at, run: event.run, stream, text: line.replace(/\r$/, '').replace(/^.*\r/s, '') }));
  }

  /** Output that never ended its last line. */
  end() {
    for (const [key, text] of this.begun) {
      if (text) {
        const [run, stream] = key.split(' ');
        this.push({ run: Number(run), stream, text });
      }
    }
    this.begun.clear();
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
    const news = this.pending.map((line) => this.styled(line));
    this.pending = [];
    this.kept = this.kept.concat(news).slice(-MOST_KEPT);
    this.lines += news.length;
    this.append(news);
    if (this.follow) {
      this.box.scrollTop = this.box.scrollHeight;
    }
  }

  /** Adds rows for those lines that the search finds; the oldest rows make room. */
  append(lines) {
    const { box } = this;
    const wanted = this.search.toLowerCase();
    const found = wanted ? lines.filter((line) => line.plain.includes(wanted)) : lines;
    this.hits += wanted ? found.length : 0;
    const some = document.createDocumentFragment();
    for (const line of found.slice(-MOST_LINES)) {
      if (this.run !== undefined && line.run !== this.run) {
        some.append(divider(line.run));
      }
      this.run = line.run;
      some.append(element(line));
    }
    box.append(some);
    for (let surplus = box.childElementCount - MOST_LINES; surplus > 0; surplus--) {
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

  /** A line with its colours; those of one stream continue from line to line. */
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
    this.follow = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END;
  }

  /** Goes on following where it was not shown for a while. */
  keepUp() {
    if (this.follow && this.box) {
      this.toEnd();
    }
  }

  toEnd() {
    this.follow = true;
    this.box.scrollTop = this.box.scrollHeight;
  }

  /** How much of the output is shown, or was searched. */
  extent() {
    const [shown, all] = this.search ? [MOST_KEPT, plural(this.hits, 'matching line')] : [MOST_LINES, ''];
    return this.lines <= shown ? all
      : `${all ? `${all} in the` : 'The'} last ${number(shown)} of ${number(this.lines)} lines. The download has all.`;
  }

  render() {
    return html`<div class="log">
      <div class="log-bar">
        <input type="search" data-search placeholder="Search the output" aria-label="Search the output" .value=${this.search}
          @input=${(event) => note({ find: event.target.value })}>
        <span class="faint small" role="status">${this.extent()}</span>
        <span class="grow"></span>
        ${this.live ? html`<button type="button" class="button is-quiet" aria-pressed=${this.follow} @click=${this.toEnd}>
          ${this.follow ? 'Following' : 'Follow'}</button>` : nothing}
        <a class="button is-quiet" href="/v1/jobs/${this.jobId}/log" download="${this.jobId}.log">Download</a>
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

/** The structured data of a line as key=value, like longhaul logs prints it. */
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
