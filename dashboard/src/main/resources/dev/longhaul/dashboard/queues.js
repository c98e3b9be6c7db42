// Queues: what waits in them, for how long, and stopping them.
import { html, nothing } from 'lit';
import { open } from './address.js';
import { call, get, post } from './api.js';
import { compact, duration, number, relative } from './format.js';
import { Poll } from './live.js';
import { Screen, attempt, confirm, empty, failure, jobsLink, loading } from './parts.js';

class QueuesScreen extends Screen {
  constructor() {
    super();
    this.queues = new Poll(this, (signal) => get('/v1/queues', signal), 2000);
    this.rates = new Poll(this, (signal) => get('/v1/stats/timeseries?rangeSeconds=300&by=queue', signal), 5000);
    this.workers = new Poll(this, (signal) => (this.may('operator') ? get('/v1/workers', signal) : null), 5000);
  }

  async pause(queue) {
    const answer = await confirm({
      title: `Pause ${queue.name}?`,
      body: html`<p>Its jobs wait until it is resumed; those that run go on.</p>
        <label class="field"><span>Why (others see it)</span><input name="note" maxlength="500" autocomplete="off"></label>`,
      act: 'Pause',
      kind: 'is-main',
    });
    if (answer) {
      await attempt(() => post(`/v1/queues/${encodeURIComponent(queue.name)}/pause`, answer.note ? { note: answer.note } : {}), `${queue.name} is paused.`);
      this.queues.refresh();
    }
  }

  async resume(queue) {
    await attempt(() => post(`/v1/queues/${encodeURIComponent(queue.name)}/resume`), `${queue.name} goes on.`);
    this.queues.refresh();
  }

  async bound(queue) {
    const answer = await confirm({
      title: `How many jobs may wait in ${queue.name}?`,
      body: html`<label class="field"><span>At most (empty: any number)</span><input name="maxDepth" type="number" min="0"
        .value=${String(queue.maxDepth ?? '')}></label><p class="faint">Who asks for more is refused with resource_exhausted.</p>`,
      act: 'Save',
      kind: 'is-main',
      name: 'limit',
    });
    if (answer) {
      const maxDepth = answer.maxDepth === '' ? null : Number(answer.maxDepth);
      await attempt(() => call('PUT', `/v1/queues/${encodeURIComponent(queue.name)}`, { maxDepth }), 'Saved.');
      this.queues.refresh();
    }
  }

  updated() {
    this.fillIn('limit', this.may('operator') && this.queues.value?.queues.find((one) => one.name === this.query.get('limit')), (queue) => this.bound(queue));
  }

  render() {
    const queues = this.workers.value || this.workers.error || !this.may('operator') ? this.queues.value?.queues : undefined;
    return html`<div class="head"><h1>Queues</h1></div>
      ${this.queues.error && !queues ? failure(this.queues.error) : !queues ? loading(4) : queues.length ? this.table(queues)
        : empty('No queues yet', 'A queue is there as soon as a job names it:', `longhaul submit demo.echo --queue reports`)}`;
  }

  table(queues) {
    const rates = new Map((this.rates.value?.series ?? []).map((one) => [one.name, one]));
    return html`<div class="table-wrap"><table class="table stack even"><thead><tr><th>Queue</th><th class="num">Waiting</th><th class="w-time num">Oldest due</th>
      <th class="num">Running</th><th class="num">Done/s <span class="faint small">5 min</span></th><th class="num">Failed</th><th class="w-detail">State</th><td class="w-end"></td></tr></thead>
      <tbody>${queues.map((queue) => this.row(queue, rates.get(queue.name)))}</tbody></table></div>
      ${queues.some((one) => one.estimated) ? html`<p class="faint small">≈ counts of millions of jobs are estimated from a sample.</p>` : nothing}`;
  }

  /** Whether jobs are due in it and no worker takes them; only operators see workers. */
  forsaken(queue) {
    return queue.oldestDueSeconds !== undefined && this.workers.value
      && !this.workers.value.workers.some((one) => one.state === 'active' && one.queues.includes(queue.name));
  }

  row(queue, rate) {
    const waiting = queue.counts.queued + queue.counts.scheduled + queue.counts.retrying;
    const about = queue.estimated ? '≈' : '';
    return html`<tr>
      <td>${jobsLink({ queue: queue.name }, html`<b>${queue.name}</b>`)}</td>
      <td data-label="Waiting" class="num">${jobsLink({ queue: queue.name, status: 'queued,scheduled,retrying' }, `${waiting ? about : ''}${compact(waiting)}`)}
        ${queue.maxDepth === undefined ? nothing : html`<span class="faint small">of ${number(queue.maxDepth)}</span>`}</td>
      <td data-label="Oldest due" class="num ${queue.oldestDueSeconds > 60 ? 'warn' : ''}">${queue.oldestDueSeconds === undefined ? html`<span class="faint">–</span>`
        : duration(queue.oldestDueSeconds)}</td>
      <td data-label="Running" class="num">${number(queue.running)}</td>
      <td data-label="Done/s" class="num">${rate ? rate.perSecond.toFixed(rate.perSecond < 10 ? 1 : 0) : html`<span class="faint">–</span>`}</td>
      <td data-label="Failed" class="num">${jobsLink({ queue: queue.name, status: 'failed' }, `${queue.counts.failed ? about : ''}${compact(queue.counts.failed)}`)}</td>
      <td data-label="State">${queue.paused ? html`<span class="chip is-retrying"><i aria-hidden="true"></i>paused</span>
        <span class="faint small">${relative(queue.pause.since)} ${queue.pause.by ? `by ${queue.pause.by}` : ''}${queue.pause.note ? `: ${queue.pause.note}` : ''}</span>`
        : html`<span class="chip is-succeeded"><i aria-hidden="true"></i>open</span>`}
        ${this.forsaken(queue) ? html`<a class="warn small" href="#/workers">no worker serves it</a>` : nothing}</td>
      <td class="end">${this.action('operator', 'Limit', () => open({ limit: queue.name }), { kind: 'is-quiet' })}
        ${queue.paused ? this.action('operator', 'Resume', () => this.resume(queue)) : this.action('operator', 'Pause', () => this.pause(queue))}</td></tr>`;
  }
}

customElements.define('queues-screen', QueuesScreen);
