// "Start a job": a form made from the definition's own schema.
import { html, nothing } from 'lit';
import { instead, note } from './address.js';
import { get, post } from './api.js';
import { START_DEMO, START_SERVER, curl, submitTo } from './commands.js';
import { Screen, empty, failure, fieldProblem, loading, say } from './parts.js';
import { field, paramsText, propertiesOf } from './schema-form.js';

class StartJob extends Screen {
  static properties = { session: {}, chosen: {}, definitions: { state: true }, problem: { state: true }, unknown: { state: true }, raw: { state: true } };

  constructor() {
    super();
    this.chosen = '';
    this.raw = false;
    this.rawText = '{}';
  }

  async connectedCallback() {
    super.connectedCallback();
    await this.load();
    this.querySelector('dialog')?.showModal();
  }

  /** Without a response nothing is known of the definitions: the dialog says so and offers to try again. */
  async load() {
    try {
      this.definitions = newest((await get('/v1/definitions')).definitions);
      this.unknown = null;
    } catch (e) {
      this.unknown = e;
    }
    await this.updateComplete;
  }

  get definition() {
    return this.definitions?.find((one) => name(one) === this.chosen) ?? this.definitions?.[0];
  }

  async submit(event) {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(event.target));
    this.problem = null;
    try {
      const job = await post('/v1/jobs', this.body(values));
      say('Job started.');
      instead(`#/jobs/${job.jobId}`);
    } catch (e) {
      this.problem = e;
    }
  }

  body(values) {
    const { definitionKey, definitionVersion } = this.definition;
    const fields = propertiesOf(this.definition.paramsSchema);
    const params = fields && !this.raw ? paramsText(fields, values) : values['raw-params'] || '{}';
    JSON.parse(params);
    const options = { definitionKey, definitionVersion };
    for (const option of ['name', 'queue', 'correlationId', 'idempotencyKey']) {
      if (values[`option-${option}`]) options[option] = values[`option-${option}`];
    }
    for (const option of ['priority', 'delaySeconds', 'maxAttempts']) {
      if (values[`option-${option}`]) options[option] = Number(values[`option-${option}`]);
    }
    if (values['option-hold']) options.hold = true;
    const labels = (values['option-labels'] ?? '').split(/[\s,]+/).filter(Boolean).map((pair) => pair.split('='));
    if (labels.length) options.labels = Object.fromEntries(labels.map(([key, ...rest]) => [key, rest.join('=')]));
    return `${JSON.stringify(options).slice(0, -1)},"params":${params}}`;
  }

  /** The same params as JSON, as far as they were filled in. */
  turn() {
    if (!this.raw) {
      try {
        this.rawText = JSON.stringify(JSON.parse(paramsText(propertiesOf(this.definition.paramsSchema), Object.fromEntries(new FormData(this.querySelector('form'))))), null, 2);
      } catch {
        this.rawText = '{}';
      }
    }
    this.raw = !this.raw;
  }

  close() {
    this.querySelector('dialog').close();
  }

  problemOf(field) {
    const found = this.problem?.errors?.find((one) => one.field === `params.${field}` || one.field === field);
    return found ? fieldProblem(found) : '';
  }

  /** Problems that no field of the form shows; each problem is shown once. */
  general(fields) {
    const shown = new Set((fields ?? []).map((one) => `params.${one.name}`));
    const errors = (this.problem?.errors ?? []).filter((one) => !shown.has(one.field));
    if (!this.problem || (!errors.length && this.problem.errors?.length)) {
      return nothing;
    }
    return failure({ message: errors.length ? `${errors[0].field}: ${fieldProblem(errors[0])}` : this.problem.message, errors });
  }

  render() {
    if (!this.definitions && !this.unknown) {
      return nothing;
    }
    return html`<dialog class="is-large" aria-labelledby="start-title" @close=${() => this.dispatchEvent(new CustomEvent('closed'))}>
      <form @submit=${this.submit} id="start-form">
        <h2 id="start-title">Start a job</h2>
        <div class="dialog-body">${this.unknown ? html`${failure(this.unknown)}<p><button type="button" class="button" @click=${this.load}>Try again</button></p>`
          : this.definition ? this.fields() : html`<p>No worker has registered a definition yet. Start one with
          <code>${START_DEMO}</code> or <code>${START_SERVER}</code>.</p>`}</div>
        <div class="dialog-end"><button type="button" class="button" @click=${this.close}>Close</button>
          <button class="button is-main" ?disabled=${!this.definition}>Start</button></div>
      </form></dialog>`;
  }

  fields() {
    const fields = propertiesOf(this.definition.paramsSchema);
    const typed = fields && !this.raw;
    return html`
      <div class="field"><label for="start-definition">Definition</label>
        <select id="start-definition" @change=${(event) => { note({ start: event.target.value }); this.problem = null; }}>
          ${this.definitions.map((one) => html`<option value=${name(one)} ?selected=${one === this.definition}>${name(one)}</option>`)}</select></div>
      <fieldset><legend>Params ${fields ? html`<button type="button" class="button is-quiet is-small" @click=${this.turn}>
        ${this.raw ? 'Fields' : 'As JSON'}</button>` : nothing}</legend>
        ${typed
          ? fields.length ? fields.map((one) => field(one, this.problemOf(one.name))) : html`<p class="faint">No parameters</p>`
          : html`<div class="field"><label for="raw-params">JSON</label><textarea id="raw-params" name="raw-params" rows="6" class="mono"
              spellcheck="false" .value=${this.rawText}></textarea></div>`}</fieldset>
      <details><summary>Options</summary><div class="options">
        ${this.option('name', 'Name')}${this.option('queue', `Queue (${this.definition.queue})`)}
        ${this.option('priority', 'Priority', 'number')}${this.option('delaySeconds', 'Delay, seconds', 'number')}
        ${this.option('maxAttempts', `Max attempts (${this.definition.maxAttempts})`, 'number')}
        ${this.option('labels', 'Labels, key=value …')}${this.option('correlationId', 'Correlation id')}
        ${this.option('idempotencyKey', 'Idempotency key')}
        <label class="check-field"><input type="checkbox" name="option-hold"> Hold until released</label></div></details>
      ${this.general(typed ? fields : [])}`;
  }

  option(id, label, type = 'text') {
    return html`<div class="field"><label for="option-${id}">${label}</label><input id="option-${id}" name="option-${id}" type=${type}
      autocomplete="off" spellcheck="false"></div>`;
  }
}

const name = (one) => `${one.definitionKey}@${one.definitionVersion}`;

/** The highest version of each first; older ones stay possible. */
const newest = (all) => all.toSorted((a, b) =>
  a.definitionKey.localeCompare(b.definitionKey) || b.definitionVersion - a.definitionVersion);

/** Shown where there are no jobs: a command that works on this server, because it names a definition that is registered. */
class NoJobs extends Screen {
  static properties = { session: {}, title: {}, queue: {}, definitions: { state: true }, problem: { state: true } };

  async connectedCallback() {
    super.connectedCallback();
    try {
      this.definitions = (await get('/v1/definitions')).definitions.map((one) => one.definitionKey);
    } catch (e) {
      this.problem = e;
    }
  }

  render() {
    const title = this.title || 'No jobs yet';
    if (!this.definitions) {
      return this.problem ? failure(this.problem) : loading(4);
    }
    const known = ['demo.count', 'demo.echo'].find((one) => this.definitions.includes(one)) ?? this.definitions[0];
    if (!known) {
      return empty(title, 'No worker has registered a definition yet. A server with demo jobs:', START_DEMO);
    }
    const params = known === 'demo.count' ? { to: 20, everyMillis: 500 } : {};
    return this.queue
      ? empty(title, 'A queue appears with its first job. Start one from the Jobs screen, or in a terminal:', submitTo(known, this.queue, params))
      : empty(title, 'Start one from the Jobs screen, or in a terminal:', curl(this.session, '/v1/jobs', { definitionKey: known, params }));
  }
}

customElements.define('no-jobs', NoJobs);
customElements.define('start-job', StartJob);
