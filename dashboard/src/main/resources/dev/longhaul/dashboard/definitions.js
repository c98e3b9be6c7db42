// Definitions: the registered jobs with their settings and schemas.
import { html, nothing } from 'lit';
import { close, listParam, open } from './address.js';
import { get } from './api.js';
import { START_DEMO } from './commands.js';
import { duration } from './format.js';
import { Poll } from './live.js';
import { Screen, empty, facts, failure, jobsLink, json, loading } from './parts.js';
import './start-job.js';

class DefinitionsScreen extends Screen {
  constructor() {
    super();
    this.definitions = new Poll(this, (signal) => get('/v1/definitions', signal), 15_000);
  }

  /** Scrolls to the definition that the address names; only on the first load. */
  updated() {
    if (!this.scrolled && this.definitions.value) {
      this.scrolled = true;
      const [key] = listParam(this.query, 'key');
      key && this.querySelector(`[data-key="${CSS.escape(key)}"]`)?.scrollIntoView({ block: 'center' });
    }
  }

  render() {
    const all = this.definitions.value?.definitions;
    return html`<div class="head"><h1>Definitions</h1></div>
      ${this.query.has('start') ? html`<start-job .session=${this.session} .chosen=${this.query.get('start')} @closed=${() => close('start')}></start-job>` : nothing}
      ${this.definitions.error && !all ? failure(this.definitions.error) : !all ? loading(6) : all.length ? this.list(all)
        : empty('No definitions yet', 'Workers register their definitions when they start. Start a server with demo jobs:', START_DEMO)}`;
  }

  list(all) {
    return html`<div class="cards">${all.map((one) => {
      const name = `${one.definitionKey}@${one.definitionVersion}`;
      return html`<section class="panel card" aria-label=${name} data-key=${one.definitionKey}><div class="head">
        <h2>${one.definitionKey}<span class="faint">@${one.definitionVersion}</span></h2>
        ${this.action('submitter', 'Start job', () => open({ start: name }))}</div>
        ${facts([['Queue', jobsLink({ queue: one.queue }, one.queue)], ['Max attempts', one.maxAttempts], ['Timeout', duration(one.timeoutSeconds)],
          ['Max concurrency', one.concurrencyLimit || 'unlimited'], ['Registered by', one.source],
          ['Jobs', jobsLink({ definitionKey: one.definitionKey }, 'View jobs')]])}
        ${this.foldable('key', one.definitionKey, 'Schemas', html`<h3>Params</h3>${json(one.paramsSchema)}<h3>Result</h3>${json(one.resultSchema)}`)}</section>`;
    })}</div>`;
  }
}

customElements.define('definitions-screen', DefinitionsScreen);
