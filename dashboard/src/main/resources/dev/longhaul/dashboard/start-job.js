// "Start a job": a form made from the definition's own schema.
import { html, nothing } from 'lit';
import { instead, note } from './address.js';
import { get, post } from './api.js';
import { failure, Screen, say } from './parts.js';
import { field, paramsText, propertiesOf } from './schema-form.js';

class StartJob extends Screen {
  static properties = { session: {}, chosen: {}, definitions: { state: true }, problem: { state: true }, raw: { state: true } };

  constructor() {
    super();
    this.chosen = '';
    this.raw = false;
    this.rawText = '{}';
  }

  async connectedCallback() {
    super.connectedCallback();
    try {
      this.definitions = newest((await get('/v1/definitions')).definitions);
    } catch (e) {
      this.problem = e;
      this.definitions = [];
    }
    await this.updateComplete;
    this.querySelector('dialog')?.showModal();
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
      say('Started.');
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
    return found ? `${found.value} (expected: ${found.expected})` : '';
  }

  render() {
    if (!this.definitions) {
      return nothing;
    }
    return html`<dialog class="is-large" aria-labelledby="start-title" @close=${() => this.dispatchEvent(new CustomEvent('closed'))}>
      <form @submit=${this.submit} id="start-form">
        <h2 id="start-title">Start a job</h2>
        <div class="dialog-body">${this.definition ? this.fields() : html`<p>No worker has registered a definition yet. Start one with
          <code>longhaul dev</code>, or with <code>longhaul server --jobs my-jobs.jar</code>.</p>`}</div>
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
          ? fields.length ? fields.map((one) => field(one, this.problemOf(one.name))) : html`<p class="faint">It takes none.</p>`
          : html`<div class="field"><label for="raw-params">JSON</label><textarea id="raw-params" name="raw-params" rows="6" class="mono"
              spellcheck="false" .value=${this.rawText}></textarea></div>`}</fieldset>
      <details><summary>Options</summary><div class="options">
        ${this.option('name', 'Name')}${this.option('queue', `Queue (${this.definition.queue})`)}
        ${this.option('priority', 'Priority', 'number')}${this.option('delaySeconds', 'Delay, seconds', 'number')}
        ${this.option('maxAttempts', `Attempts at most (${this.definition.maxAttempts})`, 'number')}
        ${this.option('labels', 'Labels, key=value …')}${this.option('correlationId', 'Correlation id')}
        ${this.option('idempotencyKey', 'Idempotency key')}
        <label class="check-field"><input type="checkbox" name="option-hold"> Hold until released</label></div></details>
      ${this.problem ? failure(this.problem) : nothing}`;
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

customElements.define('start-job', StartJob);
