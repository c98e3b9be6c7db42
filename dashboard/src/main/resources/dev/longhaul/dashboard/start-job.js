// The "Start a job" form, generated from the schema of the definition.
import { html, nothing } from 'lit';
import { replaceAddress, replaceQuery } from './address.js';
import { get, post } from './api.js';
import { START_DEMO, START_SERVER, submitFirst } from './commands.js';
import { Screen, checkJson, empty, failure, fieldProblem, loading, showMessage } from './parts.js';
import { field, paramsText, propertiesOf } from './schema-form.js';

class StartJob extends Screen {
  static properties = { session: {}, chosen: {}, definitions: { state: true }, problem: { state: true }, loadProblem: { state: true }, raw: { state: true } };

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

  /** Loads the definitions. If that fails, the dialog shows the error and a button to try again. */
  async load() {
    try {
      this.definitions = newest((await get('/v1/definitions')).definitions);
      this.loadProblem = null;
    } catch (e) {
      this.loadProblem = e;
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
      showMessage('Job started.');
      replaceAddress(`#/jobs/${job.jobId}`);
    } catch (e) {
      this.problem = e;
    }
  }

  body(values) {
    const { definitionKey, definitionVersion } = this.definition;
    const fields = propertiesOf(this.definition.paramsSchema);
    const params = fields && !this.raw ? paramsText(fields, values) : values['raw-params'] || '{}';
    checkJson('Params', params);
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

  /** Switches between fields and JSON. The JSON text starts with the values of the fields. */
  toggleJson() {
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

  /** Returns the errors that no field of the form shows. */
  otherProblems(fields) {
    const shown = new Set((fields ?? []).map((one) => `params.${one.name}`));
    const errors = (this.problem?.errors ?? []).filter((one) => !shown.has(one.field));
    if (!this.problem || (!errors.length && this.problem.errors?.length)) {
      return nothing;
    }
    return failure({ message: errors.length ? `${errors[0].field}: ${fieldProblem(errors[0])}` : this.problem.message, errors });
  }

  render() {
    if (!this.definitions && !this.loadProblem) {
      return nothing;
    }
    return html`<dialog class="is-large" aria-labelledby="start-title" @close=${() => this.dispatchEvent(new CustomEvent('closed'))}>
      <form @submit=${this.submit} id="start-form">
        <h2 id="start-title">Start a job</h2>
        <div class="dialog-body">${this.loadProblem ? html`${failure(this.loadProblem)}<p><button type="button" class="button" @click=${this.load}>Try again</button></p>`
          : this.definition ? this.fields() : html`<p>No worker has registered a definition yet. Start a server with demo jobs
          (<code>${START_DEMO}</code>) or with your own (<code>${START_SERVER}</code>).</p>`}</div>
        <div class="dialog-end"><button type="button" class="button" @click=${this.close}>Close</button>
          <button class="button is-main" ?disabled=${!this.definition}>Start job</button></div>
      </form></dialog>`;
  }

  fields() {
    const fields = propertiesOf(this.definition.paramsSchema);
    const typed = fields && !this.raw;
    return html`
      <div class="field"><label for="start-definition">Definition</label>
        <select id="start-definition" @change=${(event) => { replaceQuery({ start: event.target.value }); this.problem = null; }}>
          ${this.definitions.map((one) => html`<option value=${name(one)} ?selected=${one === this.definition}>${name(one)}</option>`)}</select></div>
      <fieldset><legend>Params ${fields ? html`<button type="button" class="button is-quiet is-small" @click=${this.toggleJson}>
        ${this.raw ? 'Edit as fields' : 'Edit as JSON'}</button>` : nothing}</legend>
        ${typed
          ? fields.length ? fields.map((one) => field(one, this.problemOf(one.name))) : html`<p class="faint">No parameters.</p>`
          : html`<div class="field"><label for="raw-params">JSON</label><textarea id="raw-params" name="raw-params" rows="6" class="mono"
              spellcheck="false" .value=${this.rawText}></textarea></div>`}</fieldset>
      <details><summary>Options</summary><div class="options">
        ${this.option('name', 'Name')}${this.option('queue', `Queue (${this.definition.queue})`)}
        ${this.option('priority', 'Priority', 'number')}${this.option('delaySeconds', 'Delay, seconds', 'number')}
        ${this.option('maxAttempts', `Max attempts (${this.definition.maxAttempts})`, 'number')}
        ${this.option('labels', 'Labels, key=value …')}${this.option('correlationId', 'Correlation id')}
        ${this.option('idempotencyKey', 'Idempotency key')}
        <label class="check-field"><input type="checkbox" name="option-hold"> Hold until released</label></div></details>
      ${this.otherProblems(typed ? fields : [])}`;
  }

  option(id, label, type = 'text') {
    return html`<div class="field"><label for="option-${id}">${label}</label><input id="option-${id}" name="option-${id}" type=${type}
      autocomplete="off" spellcheck="false"></div>`;
  }
}

const name = (one) => `${one.definitionKey}@${one.definitionVersion}`;

/** Returns the definitions sorted by key, and the versions of a definition with the latest first. */
const newest = (all) => all.toSorted((a, b) =>
  a.definitionKey.localeCompare(b.definitionKey) || b.definitionVersion - a.definitionVersion);

/** The content of an empty job list: a command that works on this server, because it names a registered definition. */
class NoJobs extends Screen {
  static properties = { session: {}, title: {}, hint: {}, definitions: { state: true }, problem: { state: true } };

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
      return empty(title, 'No worker has registered a definition yet. Start a server with demo jobs:', START_DEMO);
    }
    const params = known === 'demo.count' ? { to: 20, everyMillis: 500 } : {};
    return empty(title, `${this.hint ? `${this.hint} ` : ''}Start a job on the Jobs screen, or in a terminal:`, submitFirst(known, params));
  }
}

customElements.define('no-jobs', NoJobs);
customElements.define('start-job', StartJob);
