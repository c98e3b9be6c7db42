// Definitions: what can be run, with which params, and starting it.
import { html, nothing } from 'lit';
import { get } from './api.js';
import { duration } from './format.js';
import { Poll } from './live.js';
import { Screen, empty, facts, failure, jobsLink, json, loading } from './parts.js';
import './start-job.js';

class DefinitionsScreen extends Screen {
  static properties = { ...Screen.properties, starting: { state: true } };

  constructor() {
    super();
    this.definitions = new Poll(this, (signal) => get('/v1/definitions', signal), 15_000);
  }

  render() {
    const all = this.definitions.value?.definitions;
    return html`<div class="head"><h1>Definitions</h1></div>
      ${this.starting ? html`<start-job .session=${this.session} .chosen=${this.starting} @closed=${() => (this.starting = '')}></start-job>` : nothing}
      ${this.definitions.error && !all ? failure(this.definitions.error) : !all ? loading(6) : all.length ? this.list(all)
        : empty('No definitions yet', 'Workers register what they can run when they start. The demo jobs come with:', 'longhaul dev')}`;
  }

  list(all) {
    const open = this.query.get('key');
    return html`<div class="cards">${all.map((one) => {
      const name = `${one.definitionKey}@${one.definitionVersion}`;
      return html`<section class="panel card" aria-label=${name}><div class="head">
        <h2>${one.definitionKey}<span class="faint">@${one.definitionVersion}</span></h2>
        ${this.action('submitter', 'Start', () => (this.starting = name))}</div>
        ${facts([['Queue', jobsLink({ queue: one.queue }, one.queue)], ['Attempts', one.maxAttempts], ['Timeout', duration(one.timeoutSeconds)],
          ['At once', one.concurrencyLimit || 'any number'], ['Told by', one.source],
          ['Jobs', jobsLink({ definitionKey: one.definitionKey }, 'show')]])}
        <details ?open=${open === one.definitionKey}><summary>Schemas</summary>
          <h3>Params</h3>${json(one.paramsSchema)}<h3>Result</h3>${json(one.resultSchema)}</details></section>`;
    })}</div>`;
  }
}

customElements.define('definitions-screen', DefinitionsScreen);
