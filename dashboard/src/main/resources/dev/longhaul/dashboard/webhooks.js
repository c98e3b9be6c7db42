// Webhooks: list, details with deliveries and their attempts, and the form to edit one.
import { html, nothing } from 'lit';
import { close, open, replaceAddress } from './address.js';
import { call, get, now, post, withQuery } from './api.js';
import { curl } from './commands.js';
import { duration, plural, relative } from './format.js';
import { Poll } from './live.js';
import { Screen, attempt, confirm, copyButton, empty, facts, failure, jobLink, labels, loading, showMessage, time } from './parts.js';

const EVENTS = ['job.started', 'job.succeeded', 'job.failed', 'job.retrying', 'job.cancelled', 'job.ended', 'schedule.missed', 'queue.stalled', 'database.failover'];
const STATES = ['pending', 'delivered', 'parked'];
const CHIPS = { pending: 'is-queued', delivered: 'is-succeeded', parked: 'is-failed' };

const address = (id, rest = '') => `/v1/webhooks/${encodeURIComponent(id)}${rest}`;

class WebhooksScreen extends Screen {
  static properties = { ...Screen.properties, secret: { state: true } };

  constructor() {
    super();
    this.list = new Poll(this, (signal) => (this.key ? null : get('/v1/webhooks', signal)), 5000);
    this.one = new Poll(this, (signal) => (this.key ? get(address(this.key), signal) : null), 2000);
    this.deliveries = new Poll(this, (signal) => (this.key ? get(withQuery(address(this.key, '/deliveries'),
      { limit: 25, state: this.query.get('state'), cursor: this.query.get('cursor') }), signal) : null), 2000);
    this.attempts = new Poll(this, (signal) => (this.opened ? get(address(this.key, `/deliveries/${this.opened}`), signal) : null), 2000);
  }

  get key() {
    return this.path[1];
  }

  /** Returns the id of the delivery whose attempts are shown. */
  get opened() {
    return this.query.get('delivery');
  }

  willUpdate() {
    const [key, sent] = [this.key, `${this.query.get('state')} ${this.query.get('cursor')}`];
    const before = this.shown;
    this.shown = { key, sent, opened: this.opened };
    if (before && before.key !== key) {
      this.one.value = null;
    }
    if (before && (before.key !== key || before.sent !== sent)) {
      this.deliveries.value = null;
      this.refresh();
    }
    if (before && before.opened !== this.opened) {
      this.attempts.value = null;
      this.attempts.refresh();
    }
    // A copy of the data from when the form was opened, because polled data must not overwrite what the user types.
    this.editing = this.query.has('edit') ? this.editing ?? this.one.value : null;
  }

  refresh() {
    [this.list, this.one, this.deliveries, this.attempts].forEach((poll) => poll.refresh());
  }

  async test(webhook) {
    await attempt(() => post(address(webhook.id, '/test')), 'Test delivery queued.');
    this.refresh();
  }

  async redeliver(delivery) {
    await attempt(() => post(address(delivery.webhookId, `/deliveries/${delivery.id}/redeliver`)), 'Delivery queued.');
    this.refresh();
  }

  /**
   * Redelivers all parked deliveries after a confirmation, which names their number; if there is more than one page, a
   * lower bound.
   */
  async redeliverParked(webhook) {
    const found = await attempt(() => get(withQuery(address(webhook.id, '/deliveries'), { state: 'parked', limit: 500 })));
    const count = found?.deliveries.length;
    if (!count) {
      if (found) {
        showMessage('No parked deliveries.');
      }
      return;
    }
    const many = `${found.nextCursor ? 'at least ' : ''}${plural(count, 'delivery', 'deliveries')}`;
    if (await confirm({ title: 'Redeliver all parked deliveries?', body: html`<p>Sends ${many} to ${webhook.url} again, oldest first.</p>`, act: `Redeliver ${many}`, kind: 'is-main' })) {
      await attempt(async () => {
        let queued = 0;
        for (let after; after !== null;) {
          const done = await post(address(webhook.id, '/redeliver'), { state: 'parked', ...(after ? { after } : {}) });
          queued += done.redelivered;
          after = done.nextAfter;
        }
        return queued;
      }, (queued) => `${plural(queued, 'delivery', 'deliveries')} queued.`);
      this.refresh();
    }
  }

  async toggleEnabled(webhook) {
    await attempt(() => call('PATCH', address(webhook.id), { enabled: !webhook.enabled }), webhook.enabled ? 'Webhook disabled.' : 'Webhook enabled.');
    this.refresh();
  }

  async deleteWebhook(webhook) {
    if (await confirm({ title: 'Delete this webhook?', body: html`<p>${webhook.url} gets no further deliveries. Its delivery history is deleted.</p>`, act: 'Delete webhook' })) {
      await attempt(() => call('DELETE', address(webhook.id)), 'Webhook deleted.');
      replaceAddress('#/webhooks');
    }
  }

  render() {
    return html`${this.editing || this.query.has('new') ? html`<edit-webhook .session=${this.session} .webhook=${this.editing}
      @secret-created=${(event) => (this.secret = event.detail)} @closed=${() => { close(this.editing ? 'edit' : 'new'); this.refresh(); }}></edit-webhook>` : nothing}
      ${this.secret ? html`<div class="notice" role="status"><p><b>Signing secret of ${this.secret.url}</b>, shown once. The receiver verifies signatures with it.</p>
        <div class="command"><pre><code>${this.secret.secret}</code></pre>${copyButton(this.secret.secret)}</div>
        <button type="button" class="button" @click=${() => (this.secret = null)}>Done, I saved it</button></div>` : nothing}
      ${this.key ? this.page() : this.all()}`;
  }

  all() {
    const webhooks = this.list.value?.webhooks;
    return html`<div class="head"><h1>Webhooks</h1>${this.action('operator', 'New webhook', () => open({ new: 'yes' }), { kind: 'is-main' })}</div>
      ${this.list.error && !webhooks ? failure(this.list.error) : !webhooks ? loading(4) : webhooks.length ? this.table(webhooks)
        : empty('No webhooks yet', 'A webhook calls your endpoint when a job changes state: signed, at least once, in order per job. Create one with the button above, or:',
          curl(this.session, '/v1/webhooks', { url: 'https://example.com/hooks', events: ['job.failed'] }))}`;
  }

  table(webhooks) {
    return html`<div class="table-wrap"><table class="table stack"><thead><tr><th>URL</th><th>Events</th><th>State</th><td></td></tr></thead>
      <tbody>${webhooks.map((one) => html`<tr><td title=${one.url}><a href="#/webhooks/${one.id}"><b class="clamp">${one.url}</b></a></td>
        <td data-label="Events">${events(one)}</td><td data-label="State" class="once">${state(one)}</td>
        <td class="end">${this.action('operator', 'Send test', () => this.test(one), { kind: 'is-quiet', ...testable(one) })}</td></tr>`)}</tbody></table></div>`;
  }

  page() {
    const one = this.one.value;
    if (!one) {
      return this.one.error ? html`<div class="empty"><h1>Webhook not available</h1><p>${this.one.error.message}</p>
        <p><a href="#/webhooks">All webhooks</a></p></div>` : loading(8);
    }
    return html`<nav class="crumbs" aria-label="Place"><a href="#/webhooks">Webhooks</a></nav>
      <div class="head"><h1>${one.url} ${state(one)}</h1><div class="actions">
        ${this.action('operator', 'Send test', () => this.test(one), { kind: 'is-main', ...testable(one) })}
        ${this.action('operator', one.enabled ? 'Disable' : 'Enable', () => this.toggleEnabled(one))}
        ${one.ofJobs ? nothing : this.action('operator', 'Edit', () => open({ edit: 'yes' }))}${this.action('operator', 'Delete', () => this.deleteWebhook(one), { kind: 'is-danger' })}</div></div>
      <p class="sub"><span class="mono">${one.id}</span> ${copyButton(one.id, 'Copy id')}</p>
      ${one.resumeAt ? html`<div class="notice is-bad"><b>Failing</b>: ${plural(one.failures, 'failed delivery', 'failed deliveries')} in a row. Next attempt ${relative(one.resumeAt)}.</div>` : nothing}
      <section class="panel" aria-label="Facts">${facts([['Events', events(one)], ['Definitions', one.definitionKeys.join(', ')],
        ['Queues', one.queues.join(', ')], ['Labels', Object.keys(one.labels).length ? labels(one.labels) : undefined],
        ['Secrets', one.secrets], ['Created', html`${time(one.createdAt)}${one.createdBy ? ` by ${one.createdBy}` : ''}`]])}</section>
      ${this.deliveriesSection(one)}`;
  }

  deliveriesSection(webhook) {
    const found = this.deliveries.value;
    const state = this.query.get('state') ?? '';
    return html`<section aria-labelledby="deliveries"><div class="head"><h2 id="deliveries" class="gap">Deliveries</h2>
      <div class="inline">${this.action('operator', 'Redeliver all parked', () => this.redeliverParked(webhook))}<select aria-label="State of the deliveries" @change=${(event) => (location.hash = `#/webhooks/${webhook.id}${event.target.value ? `?state=${event.target.value}` : ''}`)}>
        <option value="">all states</option>${STATES.map((one) => html`<option ?selected=${one === state}>${one}</option>`)}</select></div></div>
      ${!found ? this.deliveries.error ? failure(this.deliveries.error) : loading(4)
        : found.deliveries.length === 0 ? html`<p class="empty-line faint">${state ? `No ${state} deliveries.` : 'No deliveries yet.'}</p>` : html`<div class="table-wrap"><table class="table stack even">
        <thead><tr><th>Event</th><th>Time</th><th>Subject</th><th class="w-detail">State</th><th class="w-time">Attempts</th><td class="w-end"></td></tr></thead>
        <tbody>${this.withOpened(found.deliveries).map((one) => this.row(one))}</tbody></table></div>
        <div class="pages">${found.nextCursor ? html`<a class="button" href="#/webhooks/${webhook.id}?${new URLSearchParams({ ...(state ? { state } : {}), cursor: found.nextCursor })}">Older</a>` : nothing}</div>`}
    </section>`;
  }

  /** Keeps the opened delivery in the list, even if newer deliveries have moved it to another page. */
  withOpened(deliveries) {
    const { value } = this.attempts;
    return value && !deliveries.some((one) => one.id === value.id) ? [...deliveries, value] : deliveries;
  }

  row(one) {
    const isOpen = this.opened === one.id;
    return html`<tr><td><button type="button" class="button is-quiet opens" aria-expanded=${isOpen} @click=${() => (isOpen ? close('delivery') : open({ delivery: one.id }))}>${one.event}</button></td>
      <td data-label="Time">${time(one.at)}</td><td data-label="Subject">${one.jobId ? jobLink(one.jobId) : one.subject ?? nothing}${one.url ? html`<div class="faint small">to ${one.url}</div>` : nothing}</td>
      <td data-label="State"><span class="chip ${CHIPS[one.state]}"><i aria-hidden="true"></i>${one.state}</span>
        ${one.state === 'pending' && one.tries ? html` <span class="faint small">${nextAttempt(one)}</span>` : nothing}</td>
      <td data-label="Attempts">${one.tries}</td>
      <td class="end">${this.action('operator', 'Redeliver', () => this.redeliver(one),
        { kind: 'is-quiet', why: one.state === 'pending' ? 'Send now and restart the retry schedule' : '' })}</td></tr>
      ${isOpen ? html`<tr><td colspan="6">${this.attemptList()}</td></tr>` : nothing}`;
  }

  attemptList() {
    const found = this.attempts.value?.attempts;
    if (!found) {
      return loading(2);
    }
    return found.length === 0 ? html`<p class="faint">No attempts yet.</p>` : html`<ol class="fires" aria-label="Attempts">${found.map((one) => html`<li>
      <b>${one.status ?? 'no response'}</b> <span class="faint">${time(one.endedAt)}, after ${duration(one.tookMillis / 1000)}</span>
      ${one.error ? html`<div>${one.error}</div>` : nothing}${one.bodyHead ? html`<pre class="json" tabindex="0">${one.bodyHead}</pre>` : nothing}</li>`)}</ol>`;
  }
}

const events = (one) => (one.ofJobs ? 'as set by each job' : one.events.join(', '));

const state = (one) => !one.enabled ? html`<span class="chip is-cancelled"><i aria-hidden="true"></i>disabled</span>`
  : one.resumeAt ? html`<span class="chip is-failed"><i aria-hidden="true"></i>failing</span>`
    : html`<span class="chip is-succeeded"><i aria-hidden="true"></i>enabled</span>`;

const testable = (one) => (one.enabled ? {} : { disabled: true, why: 'Enable the webhook first.' });

/**
 * Returns the text about the next attempt. The delivery's own time may have passed while the failing webhook pauses all
 * deliveries.
 */
const nextAttempt = (one) => one.nextTryAt && Date.parse(one.nextTryAt) > now() ? `next attempt ${relative(one.nextTryAt)}` : 'waiting, because the webhook is failing';

const list = (text) => text.split(',').map((one) => one.trim()).filter((one) => one);

class EditWebhook extends Screen {
  static properties = { session: {}, webhook: { attribute: false }, problem: { state: true } };

  async connectedCallback() {
    super.connectedCallback();
    await this.updateComplete;
    this.querySelector('dialog')?.showModal();
  }

  async submit(event) {
    event.preventDefault();
    const form = new FormData(event.target);
    const request = { url: form.get('url').trim(), events: form.getAll('event'), definitionKeys: list(form.get('definitionKeys')), queues: list(form.get('queues')) };
    try {
      const saved = await (this.webhook ? call('PATCH', address(this.webhook.id), request) : post('/v1/webhooks', request));
      showMessage('Webhook saved.');
      if (saved.secret) {
        this.dispatchEvent(new CustomEvent('secret-created', { detail: saved }));
      }
      this.webhook ? this.querySelector('dialog').close() : replaceAddress(`#/webhooks/${saved.id}`);
    } catch (e) {
      this.problem = e;
    }
  }

  render() {
    const one = this.webhook ?? { events: ['job.failed'], definitionKeys: [], queues: [] };
    return html`<dialog aria-labelledby="webhook-title" @close=${() => this.dispatchEvent(new CustomEvent('closed'))}>
      <form @submit=${this.submit}><h2 id="webhook-title">${this.webhook ? 'Edit webhook' : 'New webhook'}</h2>
      <div class="dialog-body">
        <label class="field"><span>URL</span><input name="url" type="url" required .value=${one.url ?? ''} placeholder="https://" autocomplete="off" spellcheck="false"></label>
        <fieldset><legend>Events</legend>${EVENTS.map((name) => html`<label class="check-field"><input type="checkbox" name="event" value=${name} ?checked=${one.events.includes(name)}> ${name}</label>`)}</fieldset>
        <label class="field"><span>Definitions, separated by commas (empty: all)</span><input name="definitionKeys" .value=${one.definitionKeys.join(', ')} autocomplete="off" spellcheck="false"></label>
        <label class="field"><span>Queues, separated by commas (empty: all)</span><input name="queues" .value=${one.queues.join(', ')} autocomplete="off" spellcheck="false"></label>
        ${this.problem ? failure(this.problem) : nothing}
      </div>
      <div class="dialog-end"><button type="button" class="button" @click=${() => this.querySelector('dialog').close()}>Close</button><button class="button is-main">Save webhook</button></div></form></dialog>`;
  }
}

customElements.define('edit-webhook', EditWebhook);
customElements.define('webhooks-screen', WebhooksScreen);
