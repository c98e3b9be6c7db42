// Small pieces that the screens share. Everything that users wrote goes through Lit's text bindings, never through markup.
import { html, nothing, LitElement } from 'lit';
import { listed, place, tick } from './address.js';
import { fullTime, number as count, relative, shortId } from './format.js';

export const STATUSES =
  ['created', 'scheduled', 'queued', 'retrying', 'running', 'cancelling', 'succeeded', 'failed', 'cancelled'];
export const ENDED = new Set(['succeeded', 'failed', 'cancelled']);
export const WAITING = new Set(['created', 'scheduled', 'queued', 'retrying']);
export const RETRYABLE = new Set(['failed', 'cancelled']);
const RANKS = ['viewer', 'submitter', 'operator', 'admin'];

/** An element without a shadow root: one style sheet for all, and the browser's own search and accessibility tree. */
export class Screen extends LitElement {
  static properties = { path: { attribute: false }, query: { attribute: false }, session: { attribute: false } };

  createRenderRoot() {
    return this;
  }

  /** Whether the caller's role covers that one. */
  may(role) {
    return covers(this.session?.role, role);
  }

  /** Asks what a form asks that the address names, once it is there what that is about. */
  async fillIn(name, about, form) {
    if (about && place().query.has(name) && !this.filling) {
      this.filling = true;
      await form(about);
      this.filling = false;
    }
  }

  /** A part that is unfolded where the address says so. */
  folded(name, value, summary, content) {
    const open = listed(this.query, name).includes(value);
    return html`<details ?open=${open} @toggle=${(event) => event.target.open === open || tick(name, value, !open)}><summary>${summary}</summary>${content}</details>`;
  }

  /** An action that the role may not take is there, disabled, and says why. */
  action(role, label, act, { kind = '', disabled = false, why = '' } = {}) {
    const allowed = this.may(role);
    const reason = allowed ? why : `Needs the ${role} role; yours is ${this.session?.role}.`;
    return html`<button class="button ${kind}" type="button" ?disabled=${!allowed || disabled} title=${reason || nothing}
      @click=${act}>${label}</button>`;
  }
}

export const covers = (role, needed) => RANKS.indexOf(role) >= RANKS.indexOf(needed);

export const chip = (status) => html`<span class="chip is-${status}"><i aria-hidden="true"></i>${status}</span>`;

export const time = (at, text) =>
  at ? html`<time datetime=${at} title=${fullTime(at)}>${text ?? relative(at)}</time>` : html`<span class="faint">–</span>`;

export const jobLink = (id, text) => html`<a href="#/jobs/${id}" class=${text ? '' : 'mono'}>${text ?? shortId(id)}</a>`;

export const jobsLink = (filter, text) => html`<a href="#/jobs?${new URLSearchParams(filter)}">${text}</a>`;

/** Labels that lead to the jobs that have them; in a list, among those that it shows already. */
export const labels = (all, filters) =>
  Object.entries(all ?? {}).map(([key, value]) => html`<a class="label" title="${key}=${value}"
    href="#/jobs?${filters ? filters.with({ [`label.${key}`]: value }) : new URLSearchParams({ [`label.${key}`]: value })}"><b>${key}</b>${value}</a>`);

export const facts = (pairs) => html`<dl class="facts">
  ${pairs.filter(([, value]) => value !== undefined && value !== null && value !== '').map(([name, value]) =>
    html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
</dl>`;

/** Jobs that a worker could take now or after a failed attempt. Scheduled jobs are counted apart, on every screen. */
export const waiting = (counts) => counts.queued + counts.retrying;

/** A due job that no worker took for so long is a sign of trouble, except in a queue that was paused on purpose. */
export const LATE_SECONDS = 60;
export const late = (queue) => !queue.paused && queue.oldestDueSeconds > LATE_SECONDS;

/** What stands where there is nothing yet: what it would be, and how to get the first one. */
export const empty = (title, text, command) => html`<div class="empty">
  <h2>${title}</h2>
  <p>${text}</p>
  ${command ? html`<div class="command"><pre><code>${command}</code></pre>${copyButton(command)}</div>` : nothing}
</div>`;

/** What is wrong with a field, for a reader who sees the field and its value. */
export function fieldProblem({ expected }) {
  const [, bound, number] = /^(<=|>=) (-?\d+)$/.exec(expected) ?? [];
  if (bound) {
    return `Must be at ${bound === '<=' ? 'most' : 'least'} ${count(Number(number))}.`;
  }
  return /^(array|object|integer|string|number|boolean)$/.test(expected) ? `Must be ${/^[aio]/.test(expected) ? 'an' : 'a'} ${expected}.` : `Expected: ${expected}`;
}

/** Several problems are listed; a single one is in the message already. */
export const failure = (error) => html`<div class="notice is-bad" role="alert"><b>${error.errors?.length > 1 ? 'Some values are not valid:' : error.message}</b>
  ${error.errors?.length > 1
    ? html`<ul>${error.errors.map((one) => html`<li><code>${one.field}</code>: ${one.value} (expected: ${one.expected})</li>`)}</ul>`
    : nothing}</div>`;

/** Grey bars of the size of what is to come, so that nothing jumps. */
export const loading = (rows = 8) => html`<div class="loading" role="status" aria-busy="true" aria-label="Loading">
  ${Array.from({ length: rows }, () => html`<span></span>`)}</div>`;

export const progress = (job) => html`<div class="progress">
  <progress max="100" value=${job.progress.percent} aria-label="Progress of ${job.definitionKey}"></progress>
  <span class="faint">${job.progress.percent}%${job.progress.message ? ` · ${job.progress.message}` : ''}</span></div>`;

export const copyButton = (text, label = 'Copy', why = '') => html`<button type="button" class="button is-quiet" ?disabled=${why !== ''}
  title=${why || nothing} @click=${async (event) => {
    const button = event.currentTarget;
    await attempt(async () => copy(typeof text === 'function' ? await text() : text, button), () => 'Copied.');
    button.focus();
  }}>${label}</button>`;

/** Browsers give the clipboard only to pages of HTTPS and of this machine; elsewhere the old way has to do. */
async function copy(text, near) {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(text);
  }
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'unseen';
  near.after(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  if (!copied) {
    throw new Error('This browser does not allow the page to copy.');
  }
  return undefined;
}

/** A short message at the edge of the page, read out too. */
export function say(text, kind = 'good', link = undefined) {
  window.dispatchEvent(new CustomEvent('say', { detail: { text, kind, link } }));
}

export async function attempt(deed, done) {
  try {
    const answer = await deed();
    if (done) {
      say(typeof done === 'function' ? done(answer) : done);
    }
    return answer;
  } catch (e) {
    say(e.message, 'bad');
    return undefined;
  }
}

/**
 * Asks for confirmation; the body may have fields. Resolves to the form's values, or to null. `name` is what the address calls
 * it, if it is a form; `keep` labels the button that changes nothing.
 */
export function confirm({ title, body, act, keep, kind = 'is-danger', name }) {
  return new Promise((resolve) => {
    window.dispatchEvent(new CustomEvent('ask', { detail: { title, body, act, keep, kind, name, resolve } }));
  });
}

/** JSON with its parts coloured; large ones are folded by the browser's own scroll. */
export function json(value) {
  return html`<pre class="json" tabindex="0">${jsonParts(value, 0)}</pre>`;
}

function jsonParts(value, depth) {
  const pad = '  '.repeat(depth + 1);
  if (value === null || typeof value === 'boolean') {
    return html`<span class="json-word">${String(value)}</span>`;
  }
  if (typeof value === 'string') {
    return value === '***'
      ? html`<span class="json-secret" title="A secret: stored for the code, shown to nobody">***</span>`
      : html`<span class="json-text">${JSON.stringify(value)}</span>`;
  }
  if (typeof value === 'number' || value?.digits) {
    return html`<span class="json-number">${String(value)}</span>`;
  }
  const list = Array.isArray(value);
  const entries = list ? value.map((one) => [null, one]) : Object.entries(value);
  const [open, close] = list ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) {
    return open + close;
  }
  return html`${open}${entries.map(([key, one], i) => html`${`\n${pad}`}${key === null ? nothing
    : html`<span class="json-key">${JSON.stringify(key)}</span>: `}${jsonParts(one, depth + 1)}${i < entries.length - 1 ? ',' : ''}`)}
${'  '.repeat(depth)}${close}`;
}
