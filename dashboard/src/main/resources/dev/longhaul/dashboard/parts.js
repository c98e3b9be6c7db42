// Parts that all screens share. Text of users is added with Lit's text bindings only, never as markup.
import { html, nothing, LitElement } from 'lit';
import { listParam, route, toggleListParam } from './address.js';
import { fullTime, number as count, relative, shortId } from './format.js';

export const STATUSES =
  ['created', 'scheduled', 'queued', 'retrying', 'running', 'cancelling', 'succeeded', 'failed', 'cancelled'];
export const ENDED = new Set(['succeeded', 'failed', 'cancelled']);
export const WAITING = new Set(['created', 'scheduled', 'queued', 'retrying']);
export const RETRYABLE = new Set(['failed', 'cancelled']);
const RANKS = ['viewer', 'submitter', 'operator', 'admin'];

/**
 * Base class of all screens. It has no shadow root, so that all screens share one style sheet, and the browser's search
 * and accessibility tree work.
 */
export class Screen extends LitElement {
  static properties = { path: { attribute: false }, query: { attribute: false }, session: { attribute: false } };

  createRenderRoot() {
    return this;
  }

  /** Returns whether the user's role includes the given role. */
  may(role) {
    return covers(this.session?.role, role);
  }

  /** Opens a form that the address names as soon as its subject is loaded. */
  async openForm(name, subject, form) {
    if (subject && route().query.has(name) && !this.formOpen) {
      this.formOpen = true;
      await form(subject);
      this.formOpen = false;
    }
  }

  /** Returns a foldable part. Its state is in the address. */
  foldable(name, value, summary, content) {
    const open = listParam(this.query, name).includes(value);
    return html`<details ?open=${open} @toggle=${(event) => event.target.open === open || toggleListParam(name, value, !open)}><summary>${summary}</summary>${content}</details>`;
  }

  /** Returns a button. It is disabled if the user lacks the required role, and its title then says why. */
  action(role, label, act, { kind = '', disabled = false, why = '' } = {}) {
    const allowed = this.may(role);
    const reason = allowed ? why : `You need the ${role} role; yours is ${this.session?.role}.`;
    return html`<button class="button ${kind}" type="button" ?disabled=${!allowed || disabled} title=${reason || nothing}
      @click=${act}>${label}</button>`;
  }
}

export const covers = (role, needed) => RANKS.indexOf(role) >= RANKS.indexOf(needed);

/** Returns the shown name of a status. A job with the status created has not been released, so it is shown as held. */
export const statusName = (status) => (status === 'created' ? 'held' : status);

export const chip = (status) => html`<span class="chip is-${status}"><i aria-hidden="true"></i>${statusName(status)}</span>`;

export const time = (at, text) =>
  at ? html`<time datetime=${at} title=${fullTime(at)}>${text ?? relative(at)}</time>` : html`<span class="faint">–</span>`;

export const jobLink = (id, text) => html`<a href="#/jobs/${id}" class=${text ? '' : 'mono'}>${text ?? shortId(id)}</a>`;

export const jobsLink = (filter, text) => html`<a href="#/jobs?${new URLSearchParams(filter)}">${text}</a>`;

/** Returns labels as links to the jobs that have them. With filters, a link adds its label to them. */
export const labels = (all, filters) =>
  Object.entries(all ?? {}).map(([key, value]) => html`<a class="label" title="${key}=${value}"
    href="#/jobs?${filters ? filters.with({ [`label.${key}`]: value }) : new URLSearchParams({ [`label.${key}`]: value })}"><b>${key}</b>${value}</a>`);

export const facts = (pairs) => html`<dl class="facts">
  ${pairs.filter(([, value]) => value !== undefined && value !== null && value !== '').map(([name, value]) =>
    html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
</dl>`;

/**
 * Returns the number of jobs that wait for a worker or for their next attempt. Every screen counts scheduled jobs
 * separately.
 */
export const waiting = (counts) => counts.queued + counts.retrying;

/** A queue is highlighted if its oldest due job has waited this long, unless it is paused. */
export const LATE_SECONDS = 60;
export const late = (queue) => !queue.paused && queue.oldestDueSeconds > LATE_SECONDS;

/** Returns the content of an empty list: what the list will contain, and a command that creates the first entry. */
export const empty = (title, text, command) => html`<div class="empty">
  <h2>${title}</h2>
  <p>${text}</p>
  ${command ? html`<div class="command"><pre><code>${command}</code></pre>${copyButton(command)}</div>` : nothing}
</div>`;

const BOUNDS = { '<=': 'at most', '>=': 'at least', '<': 'less than', '>': 'greater than' };

/** Returns the server's expectation of a value as a sentence; undefined if its text has no known form. */
function sentence(expected) {
  const [, bound, number] = /^(<=|>=|<|>) (-?\d+)$/.exec(expected) ?? [];
  if (bound) {
    return `Must be ${BOUNDS[bound]} ${count(Number(number))}.`;
  }
  if (/^(array|object|integer|string|number|boolean)$/.test(expected)) {
    return `Must be ${/^[aio]/.test(expected) ? 'an' : 'a'} ${expected}.`;
  }
  return expected === 'required' ? 'Required.' : /^(\d+-\d+|valid JSON$)/.test(expected) ? `Must be ${expected}.` : undefined;
}

/**
 * Returns the message for an invalid field. It is shown beside the field, so it does not repeat the field and its
 * value.
 */
export const fieldProblem = ({ expected }) => sentence(expected) ?? `Expected: ${expected}`;

/** Returns the message for an invalid field that is not shown beside the field. */
const namedProblem = ({ field, value, expected }) => `${field}: ${sentence(expected) ?? `${value} (expected: ${expected})`}`;

/** Returns an error notice, with a list if several fields are invalid. */
export function failure({ message, errors = [] }) {
  const [first] = errors;
  const named = errors.length === 1 && message === `${first.field}: ${first.value} (expected: ${first.expected})`;
  return html`<div class="notice is-bad" role="alert"><b>${errors.length > 1 ? 'Some values are not valid:' : named ? namedProblem(first) : message}</b>
    ${errors.length > 1 ? html`<ul>${errors.map((one) => html`<li>${namedProblem(one)}</li>`)}</ul>` : nothing}</div>`;
}

/** Throws an error with the field's name if its text is not JSON. */
export function checkJson(field, text) {
  try {
    JSON.parse(text);
  } catch (e) {
    throw new SyntaxError(`${field}: Must be valid JSON. ${e.message}`);
  }
}

/** Returns grey bars about as high as the content that is being loaded, so that the page does not jump. */
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

/**
 * Copies a text. Browsers offer navigator.clipboard only over HTTPS and on localhost; elsewhere this uses execCommand.
 */
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
    throw new Error('The browser does not allow this page to copy text.');
  }
  return undefined;
}

/** Shows a short message at the edge of the page, which screen readers announce. */
export function showMessage(text, kind = 'good', link = undefined) {
  window.dispatchEvent(new CustomEvent('show-message', { detail: { text, kind, link } }));
}

/** Runs an action and shows a message when it has succeeded or failed. Returns its result; undefined if it failed. */
export async function attempt(action, done) {
  try {
    const result = await action();
    if (done) {
      showMessage(typeof done === 'function' ? done(result) : done);
    }
    return result;
  } catch (e) {
    showMessage(e.message, 'bad');
    return undefined;
  }
}

/**
 * Opens a dialog, whose body may have fields. Resolves to the form's values, or to null if it was cancelled. `name` is
 * its query parameter, if the dialog is part of the address. `keep` is the label of the cancel button.
 */
export function confirm({ title, body, act, keep, kind = 'is-danger', name }) {
  return new Promise((resolve) => {
    window.dispatchEvent(new CustomEvent('show-dialog', { detail: { title, body, act, keep, kind, name, resolve } }));
  });
}

/** Returns JSON with syntax colours. */
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
      ? html`<span class="json-secret" title="Secret value: only the job's code receives it">***</span>`
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
