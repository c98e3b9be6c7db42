// Workers: who runs jobs, how full they are, and who was lost.
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
        : empty('No workers', 'Jobs wait until a worker runs them. Start one with the database of this server:', START_WORKER)}`;
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
          ${one.stuck ? html`<span class="bad small" title="Code that ignores its interrupt. Restart the worker to free its slots.">${plural(one.stuck, 'stuck thread')}</span>` : nothing}</td>
        <td data-label="Version" class="once">${one.version}</td><td data-label="Queues">${one.queues.join(', ')}</td>
        <td data-label="Definitions">${this.folded('unfolded', one.workerId, plural(one.definitions.length, 'definition'), one.definitions.map((name) => html`<div class="mono small">${name}</div>`))}</td>
        <td data-label="Started" class="once">${time(one.startedAt)}</td><td data-label="Last seen" class="once">${time(one.lastSeenAt)}</td></tr>`)}</tbody></table></div>
      ${workers.some((one) => one.state === 'lost') ? html`<p class="notice">A lost worker has missed its heartbeats. Its jobs run on other workers
        after their leases expire; later results of the lost worker are rejected.</p>` : nothing}`;
  }
}

/** The first few jobs of a worker, and how many more it runs. */
const MOST_JOBS = 4;
const running = (jobs) => html`${jobs.slice(0, MOST_JOBS).map((job) => html`<div class="small" title=${job.name ?? job.definitionKey}>${jobLink(job.jobId, `${job.definitionKey} ${job.progress.percent}%`)}</div>`)}
  ${jobs.length > MOST_JOBS ? html`<div class="small faint">and ${number(jobs.length - MOST_JOBS)} more</div>` : nothing}`;

customElements.define('workers-screen', WorkersScreen);
