// Workers: their state, slots in use, and running jobs.
import { html, nothing } from 'lit';
import { get } from './api.js';
import { START_WORKER } from './commands.js';
import { number, plural } from './format.js';
import { Poll } from './live.js';
import { Screen, empty, failure, jobLink, loading, time } from './parts.js';

const CHIPS = { active: 'succeeded', draining: 'retrying', gone: 'cancelled', lost: 'failed' };

class WorkersScreen extends Screen {
  constructor() {
    super();
    this.workers = new Poll(this, (signal) => get('/v1/workers', signal), 2000);
    this.running = new Poll(this, (signal) => get('/v1/jobs?status=running,cancelling&limit=500', signal), 4000);
  }

  render() {
    const workers = this.workers.value?.workers;
    return html`<div class="head"><h1>Workers</h1></div>
      ${this.workers.error && !workers ? failure(this.workers.error) : !workers ? loading(4) : workers.length ? this.table(workers)
        : empty('No workers', 'Jobs wait until a worker runs them. Start a worker with the database of this server:', START_WORKER)}`;
  }

  table(workers) {
    const jobs = Map.groupBy(this.running.value?.jobs ?? [], (job) => job.workerId);
    return html`<div class="table-wrap"><table class="table stack"><thead><tr><th>Worker</th><th>State</th><th class="w-detail">Slots</th><th>Version</th>
      <th>Queues</th><th>Definitions</th><th>Started</th><th>Last seen</th></tr></thead>
      <tbody>${workers.map((one) => html`<tr class=${one.state === 'gone' ? 'is-past' : ''}>
        <td><b>${one.host}</b> <span class="mono faint small">${one.workerId}</span>
          ${running(jobs.get(one.workerId) ?? [])}</td>
        <td data-label="State" class="once"><span class="chip is-${CHIPS[one.state]}"><i aria-hidden="true"></i>${one.state}</span></td>
        <td data-label="Slots" class="w-detail"><div class="progress"><progress max=${one.slots || 1} value=${one.running} aria-label="Slots in use"></progress>
          <span class="faint">${one.running} of ${one.slots}</span></div>
          ${one.stuck ? html`<span class="bad small" title="Code of ended runs ignores its interrupt and occupies slots. Restart the worker to free them.">${plural(one.stuck, 'stuck thread')}</span>` : nothing}</td>
        <td data-label="Version" class="once">${one.version}</td><td data-label="Queues">${one.queues.join(', ')}</td>
        <td data-label="Definitions">${this.foldable('unfolded', one.workerId, plural(one.definitions.length, 'definition'), one.definitions.map((name) => html`<div class="mono small">${name}</div>`))}</td>
        <td data-label="Started" class="once">${time(one.startedAt)}</td><td data-label="Last seen" class="once">${time(one.lastSeenAt)}</td></tr>`)}</tbody></table></div>
      ${workers.some((one) => one.state === 'lost') ? html`<p class="notice">A lost worker has missed its heartbeats. When the leases of its jobs expire, other workers run them;
        results that the lost worker reports later are rejected.</p>` : nothing}`;
  }
}

/** Maximum number of running jobs that are listed per worker; further ones are only counted. */
const MAX_JOBS = 4;
const running = (jobs) => html`${jobs.slice(0, MAX_JOBS).map((job) => html`<div class="small" title=${job.name ?? job.definitionKey}>${jobLink(job.jobId, `${job.definitionKey} ${job.progress.percent}%`)}</div>`)}
  ${jobs.length > MAX_JOBS ? html`<div class="small faint">and ${number(jobs.length - MAX_JOBS)} more</div>` : nothing}`;

customElements.define('workers-screen', WorkersScreen);
