// What a job writes, as it writes it. Lines go straight to the page, gathered per frame: Lit would compare thousands at each.
import { html, nothing } from 'lit';
import { note } from './address.js';
import { newState, pieces } from './ansi.js';
import { clockTime, plural } from './format.js';
import { Screen } from './parts.js';

/** More lines than these are not kept on the page; the download has them all. */
const MOST_LINES = 5000;
const NEAR_END = 40;

class LogView extends Screen {
  static properties = { jobId: {}, live: { type: Boolean }, follow: { state: true }, search: {}, hits: { state: true },
    dropped: { state: true }, lines: { state: true } };

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
    this.lines = 0;
    this.run = undefined;
    this.dropped = 0;
    this.hits = 0;
    this.box?.replaceChildren();
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
      this.push({ at: event.at, run: event.run, stream: payload.level ?? 'info', text: String(payload.message ?? '') });
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
    const box = this.box;
    if (!box) {
      return;
    }
    const skipped = Math.max(0, this.pending.length - MOST_LINES);
    const some = document.createDocumentFragment();
    for (const line of this.pending.slice(skipped)) {
      if (this.run !== undefined && line.run !== this.run) {
        some.append(divider(line.run));
      }
      this.run = line.run;
      some.append(this.element(line));
    }
    this.lines += this.pending.length;
    this.pending = [];
    box.append(some);
    let surplus = box.childElementCount - MOST_LINES;
    this.dropped += skipped + Math.max(0, surplus);
    for (; surplus > 0; surplus--) {
      box.firstElementChild.remove();
    }
    if (this.search) {
      this.find();
    }
    if (this.follow) {
      box.scrollTop = box.scrollHeight;
    }
  }

  element(line) {
    const row = document.createElement('div');
    row.className = `log-line is-${/^[a-z]+$/.test(line.stream) ? line.stream : 'stdout'}`;
    const at = document.createElement('span');
    at.className = 'log-time';
    at.textContent = line.at ? clockTime(line.at) : '';
    const text = document.createElement('span');
    text.className = 'log-text';
    const key = `${line.run} ${line.stream}`;
    if (!this.states.has(key)) {
      this.states.set(key, newState());
    }
    for (const piece of pieces(line.text, this.states.get(key))) {
      const span = document.createElement('span');
      span.textContent = piece.text;
      span.className = piece.classes;
      text.append(span);
    }
    row.append(at, text);
    return row;
  }

  find() {
    const wanted = this.search.toLowerCase();
    let hits = 0;
    for (const row of this.box.children) {
      const hit = wanted !== '' && (row.lastElementChild ?? row).textContent.toLowerCase().includes(wanted);
      row.classList.toggle('is-hit', hit);
      row.classList.toggle('is-miss', wanted !== '' && !hit);
      hits += hit ? 1 : 0;
    }
    this.hits = hits;
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

  render() {
    return html`<div class="log">
      <div class="log-bar">
        <input type="search" data-search placeholder="Search the output" aria-label="Search the output" .value=${this.search}
          @input=${(event) => note({ find: event.target.value })}>
        <span class="faint small" role="status">${this.search ? plural(this.hits, 'line') : nothing}
          ${this.dropped ? `the first ${plural(this.dropped, 'line')} are only in the download` : nothing}</span>
        <span class="grow"></span>
        ${this.live ? html`<button type="button" class="button is-quiet" aria-pressed=${this.follow} @click=${this.toEnd}>
          ${this.follow ? 'Following' : 'Follow'}</button>` : nothing}
        <a class="button is-quiet" href="/v1/jobs/${this.jobId}/log" download="${this.jobId}.log">Download</a>
      </div>
      <div class="log-lines" tabindex="0" role="log" aria-label="Output" aria-live="off" @scroll=${this.scrolled}></div>
      ${this.lines ? nothing : html`<p class="log-empty ${this.live ? '' : 'is-final'}">${this.live ? 'Nothing written yet. It appears here as it comes.'
        : 'This job wrote no log and no output.'}</p>`}
    </div>`;
  }
}

function divider(run) {
  const row = document.createElement('div');
  row.className = 'log-run';
  row.textContent = `run ${run}`;
  return row;
}

function textOf(payload) {
  if (payload.base64 === undefined) {
    return payload.text ?? '';
  }
  const bytes = Uint8Array.from(atob(payload.base64), (char) => char.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}

customElements.define('log-view', LogView);
