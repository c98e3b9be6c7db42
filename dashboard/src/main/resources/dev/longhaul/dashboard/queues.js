// Queues: waiting and running jobs, limits, pause and resume.
import { html, nothing } from 'lit';
import { open } from './address.js';
import { call, get, post } from './api.js';
import { compact, duration, number, relative } from './format.js';
import { Poll } from './live.js';
import { Screen, attempt, confirm, failure, jobsLink, late, loading, waiting } from './parts.js';
import './start-job.js';

class QueuesScreen extends Screen {
  constructor() {
    super();
    this.queues = new Poll(this, (signal) => get('/v1/queues', signal), 2000);
    this.rates = new Poll(this, (signal) => get('/v1/stats/timeseries?rangeSeconds=300&by=queue', signal), 5000);
    this.workers = new Poll(this, (signal) => (this.may('operator') ? get('/v1/workers', signal) : null), 5000);
  }

  async pause(queue) {
    const values = await confirm({
      title: `Pause queue ${queue.name}?`,
      body: html`<p>Its jobs wait until the queue is resumed. Running jobs continue.</p>
        <label class="field"><span>Note (shown to everyone)</span><input name="note" maxlength="500" autocomplete="off"></label>`,
      act: 'Pause queue',
      kind: 'is-main',
    });
    if (values) {
      await attempt(() => post(`/v1/queues/${encodeURIComponent(queue.name)}/pause`, values.note ? { note: values.note } : {}), `Queue ${queue.name} paused.`);
      this.queues.refresh();
    }
  }

  async resume(queue) {
    await attempt(() => post(`/v1/queues/${encodeURIComponent(queue.name)}/resume`), `Queue ${queue.name} resumed.`);
    this.queues.refresh();
  }

  async editLimit(queue) {
    const values = await confirm({
      title: `Queue limit for ${queue.name}`,
      body: html`<label class="field"><span>Max waiting and scheduled jobs (empty: unlimited)</span><input name="maxDepth" type="number" min="0"
        .value=${String(queue.maxDepth ?? '')}></label><p class="faint">When the limit is reached, further submissions are rejected (429, resource_exhausted).</p>`,
      act: 'Save limit',
      kind: 'is-main',
      name: 'limit',
    });
    if (values) {
      const maxDepth = values.maxDepth === '' ? null : Number(values.maxDepth);
      await attempt(() => call('PUT', `/v1/queues/${encodeURIComponent(queue.name)}`, { maxDepth }), `Limit of queue ${queue.name} saved.`);
      this.queues.refresh();
    }
  }

  updated() {
    this.openForm('limit', this.may('operator') && this.queues.value?.queues.find((one) => one.name === this.query.get('limit')), (queue) => this.editLimit(queue));
  }

  render() {
    const queues = this.workers.value || this.workers.error || !this.may('operator') ? this.queues.value?.queues : undefined;
    return html`<div class="head"><h1>Queues</h1></div>
      ${this.queues.error && !queues ? failure(this.queues.error) : !queues ? loading(4) : queues.length ? this.table(queues)
        : html`<no-jobs .session=${this.session} title="No queues yet" hint="A queue appears with its first job."></no-jobs>`}`;
  }

  table(queues) {
    const rates = new Map((this.rates.value?.series ?? []).map((one) => [one.name, one]));
    return html`<div class="table-wrap"><table class="table stack even"><thead><tr><th>Queue</th><th class="num w-few">Waiting</th><th class="num w-time">Oldest due</th>
      <th class="num w-count">Running</th><th class="num w-count" title="Jobs ended per second, average of the last 5 minutes">Done/s</th><th class="num w-count">Failed</th><th class="w-state">State</th><td class="w-end"></td></tr></thead>
      <tbody>${queues.map((queue) => this.row(queue, rates.get(queue.name)))}</tbody></table></div>
      ${queues.some((one) => one.estimated) ? html`<p class="faint small">≈ Large counts are estimated from a sample.</p>` : nothing}`;
  }

  /**
   * Returns whether the queue has due jobs and no active worker serves it. Always false without the role operator,
   * which is needed to list workers.
   */
  lacksWorker(queue) {
    return queue.oldestDueSeconds !== undefined && this.workers.value
      && !this.workers.value.workers.some((one) => one.state === 'active' && one.queues.includes(queue.name));
  }

  row(queue, rate) {
    const about = queue.estimated ? '≈' : '';
    const [now, later] = [waiting(queue.counts), queue.counts.scheduled];
    return html`<tr>
      <td title=${queue.name}>${jobsLink({ queue: queue.name }, html`<b class="clamp">${queue.name}</b>`)}</td>
      <td data-label="Waiting" class="num">${jobsLink({ queue: queue.name, status: 'queued,retrying' }, `${now ? about : ''}${compact(now)}`)}
        ${later ? html`<div class="small">${jobsLink({ queue: queue.name, status: 'scheduled' }, `+ ${about}${compact(later)} scheduled`)}</div>` : nothing}
        ${queue.maxDepth === undefined ? nothing : html`<div class="faint small">limit ${number(queue.maxDepth)}</div>`}</td>
      <td data-label="Oldest due" class="num ${late(queue) ? 'warn' : ''}">${queue.oldestDueSeconds === undefined ? html`<span class="faint">–</span>`
        : duration(queue.oldestDueSeconds)}</td>
      <td data-label="Running" class="num">${number(queue.running)}</td>
      <td data-label="Done/s" class="num">${rate ? rate.perSecond.toFixed(rate.perSecond < 10 ? 1 : 0) : html`<span class="faint">–</span>`}</td>
      <td data-label="Failed" class="num">${jobsLink({ queue: queue.name, status: 'failed' }, `${queue.counts.failed ? about : ''}${compact(queue.counts.failed)}`)}</td>
      <td data-label="State">${queue.paused ? html`<span class="chip is-cancelled"><i aria-hidden="true"></i>paused</span>
        <span class="faint small">${relative(queue.pause.since)} ${queue.pause.by ? `by ${queue.pause.by}` : ''}${queue.pause.note ? `: ${queue.pause.note}` : ''}</span>`
        : this.lacksWorker(queue) ? html`<span class="chip is-retrying"><i aria-hidden="true"></i><a class="warn" href="#/workers">no worker</a></span>`
          : html`<span class="chip is-succeeded"><i aria-hidden="true"></i>open</span>`}</td>
      <td class="end">${this.action('operator', 'Set limit', () => open({ limit: queue.name }), { kind: 'is-quiet' })}
        ${queue.paused ? this.action('operator', 'Resume', () => this.resume(queue)) : this.action('operator', 'Pause', () => this.pause(queue))}</td></tr>`;
  }
}

customElements.define('queues-screen', QueuesScreen);
