// The overview: counts, throughput and latency charts, queues, failures, the database, and the next fires.
import { html, nothing } from 'lit';
import { get, now } from './api.js';
import './charts.js';
import { bytes, compact, duration, number, plural, rate as perTime, relative } from './format.js';
import { Poll } from './live.js';
import { LATE_SECONDS, Screen, failure, jobLink, jobsLink, late, loading, time, waiting } from './parts.js';

const RANGES = { '5m': [300, '5 min'], '1h': [3600, '1 h'], '6h': [21_600, '6 h'], '24h': [86_400, '24 h'], '7d': [604_800, '7 days'], '30d': [2_592_000, '30 days'] };

const RANGE_WORDS = { '5m': '5 minutes', '1h': 'hour', '6h': '6 hours', '24h': '24 hours', '7d': '7 days', '30d': '30 days' };
const MAX_ROWS = 8;

/** Every process stores its counters within this many seconds. */
const FLUSH_SECONDS = 10;

/** Whether the server stores its jobs in memory, according to its first response about the database. */
let inMemory = false;

class OverviewScreen extends Screen {
  constructor() {
    super();
    this.stats = new Poll(this, (signal) => get('/v1/stats', signal), 2000);
    this.queues = new Poll(this, (signal) => get('/v1/queues', signal), 3000);
    this.series = new Poll(this, (signal) => this.loadRange('timeseries', signal), 5000);
    this.failures = new Poll(this, (signal) => this.loadRange('failures', signal), 5000);
    this.database = new Poll(this, (signal) => this.loadDatabase(signal), 10_000);
    this.schedules = new Poll(this, (signal) => get('/v1/schedules?limit=200', signal), 5000);
  }

  get range() {
    return RANGES[this.query.get('range')] ? this.query.get('range') : '1h';
  }

  get seconds() {
    return RANGES[this.range][0];
  }

  /**
   * Loads statistics together with their range, so that numbers of the previous range are not shown for the new one.
   */
  async loadRange(name, signal) {
    const { range } = this;
    return { ...(await get(`/v1/stats/${name}?rangeSeconds=${this.seconds}`, signal)), range };
  }

  /**
   * Loads the database's statistics. A server with an in-memory store has no database, so it is requested only once.
   */
  async loadDatabase(signal) {
    if (!this.may('operator') || inMemory) {
      return null;
    }
    try {
      return await get('/v1/stats/database', signal);
    } catch (e) {
      inMemory = e.code === 'failed_precondition';
      return inMemory ? null : Promise.reject(e);
    }
  }

  willUpdate(changes) {
    if (changes.has('query') && changes.get('query') !== undefined) {
      this.series.refresh();
      this.failures.refresh();
    }
  }

  render() {
    const stats = this.stats.value;
    if (!stats) {
      return this.stats.error ? failure(this.stats.error) : loading(8);
    }
    const total = Object.values(stats.counts).reduce((all, one) => all + one, 0);
    return html`<div class="head"><h1>Overview</h1><nav class="segments" aria-label="Range">${Object.entries(RANGES).map(([name, [, text]]) =>
      html`<a href="#/?range=${name}" aria-current=${name === this.range ? 'true' : nothing}>${text}</a>`)}</nav></div>
      ${total === 0 ? html`<no-jobs .session=${this.session}></no-jobs>` : html`${this.tiles(stats)}${this.charts()}`}
      ${total === 0 ? nothing : html`<div class="panels">${this.queuesPanel()}${this.failuresPanel()}${this.databasePanel()}${this.schedulesPanel()}</div>`}`;
  }

  points() {
    return this.series.value?.series[0]?.points ?? [];
  }

  /** Returns the number of jobs that failed within the range, including jobs that were retried since. */
  failedCount() {
    return this.points().reduce((all, one) => all + one.failed, 0);
  }

  tiles(stats) {
    const { counts } = stats;
    const points = this.points();
    const known = this.series.value?.range === this.range;
    const sum = (name) => points.reduce((all, one) => all + one[name], 0);
    const some = (name) => (known ? compact(sum(name)) : '…');
    const about = stats.estimated ? '≈' : '';
    return html`<div class="tiles">
      ${tile('Running now', number(counts.running + counts.cancelling), `of ${plural(stats.slots, 'slot')} on ${plural(stats.workers, 'worker')}`,
        '#/jobs?status=running,cancelling', stats.workers === 0 ? 'is-bad' : '')}
      ${tile('Waiting', `${waiting(counts) ? about : ''}${compact(waiting(counts))}`, `${compact(counts.scheduled)} scheduled for later`, '#/jobs?status=queued,retrying')}
      ${this.oldestDue(stats)}
      ${tile(`Succeeded, ${RANGES[this.range][1]}`, some('succeeded'), known ? `${perTime(sum('succeeded') / this.seconds)} on average` : '…', `#/jobs?${this.ended('succeeded')}`)}
      ${tile(`Failed, ${RANGES[this.range][1]}`, some('failed'), `${some('retried')} attempts retried`, `#/jobs?${this.ended('failed')}`, known && sum('failed') ? 'is-bad' : '')}
    </div>`;
  }

  /**
   * Returns the tile with the wait of the oldest due job. Paused queues are not counted, because an operator paused
   * them.
   */
  oldestDue(stats) {
    const { oldestDueSeconds, oldestDueQueue, pausedQueues } = stats;
    const paused = pausedQueues ? `${plural(pausedQueues, 'paused queue')} not counted` : '';
    return oldestDueQueue === undefined
      ? tile('Oldest due job', '–', paused || 'no job is due', '#/queues')
      : tile('Oldest due job', duration(oldestDueSeconds), `in queue ${oldestDueQueue}`, `#/jobs?${new URLSearchParams({ status: 'queued', order: 'oldest', queue: oldestDueQueue })}`,
        oldestDueSeconds > LATE_SECONDS ? 'is-warn' : '');
  }

  /** Returns the query for jobs that ended with that status within the range, whenever they were created. */
  ended(status, more = {}) {
    return new URLSearchParams({ ...more, status, time: 'finished', since: this.range });
  }

  charts() {
    const step = this.series.value?.stepSeconds ?? 1;
    // An incomplete last step would look like a drop to zero, so it is omitted.
    const points = this.points().filter((one) => Date.parse(one.at) + (step + FLUSH_SECONDS) * 1000 <= now());
    const times = points.map((one) => one.at);
    const rate = (name) => points.map((one) => one[name] / step);
    const of = (name) => points.map((one) => one[name] ?? null);
    const perSecond = (v) => `${v >= 100 ? Math.round(v) : Math.round(v * 100) / 100}/s`;
    const marks = (this.series.value?.versions ?? []).map((one) => ({ at: one.at, text: one.version }));
    return html`<div class="charts">
      <section class="panel"><h2>Throughput</h2><time-chart label="Jobs per second over time" .times=${times} .unit=${perSecond} .marks=${marks} .lines=${[
        { name: 'succeeded', colour: '--good', values: rate('succeeded'), fill: true }, { name: 'failed', colour: '--bad', values: rate('failed') },
        { name: 'retried', colour: '--orange', values: rate('retried') }]}></time-chart></section>
      <section class="panel"><h2>Wait</h2><time-chart label="Seconds from due to started over time" .times=${times} .unit=${duration} .lines=${[
        { name: 'p50', colour: '--blue', values: of('waitP50') }, { name: 'p95', colour: '--violet', values: of('waitP95') }]}></time-chart></section>
      <section class="panel"><h2>Run</h2><time-chart label="Seconds from started to ended over time" .times=${times} .unit=${duration} .lines=${[
        { name: 'p50', colour: '--blue', values: of('runP50') }, { name: 'p95', colour: '--violet', values: of('runP95') }]}></time-chart></section></div>`;
  }

  queuesPanel() {
    const all = this.queues.value?.queues ?? [];
    // Queues that need attention come first. A paused queue does not need attention.
    const urgency = (one) => (one.paused ? -1 : one.oldestDueSeconds ?? -1);
    const queues = all.toSorted((a, b) => urgency(b) - urgency(a)).slice(0, MAX_ROWS);
    return html`<section class="panel">${heading('Queues', '#/queues', all.length)}<table class="table"><thead><tr><th>Queue</th><th class="num w-count">Waiting</th>
      <th class="num w-time">Oldest due</th><th class="num w-count">Running</th></tr></thead><tbody>${queues.map((one) => html`<tr><td title=${one.name}><div class="line">${jobsLink({ queue: one.name }, one.name)}
      ${one.paused ? html`<span class="faint small">paused</span>` : nothing}</div></td>
      <td class="num">${one.estimated ? '≈' : ''}${compact(waiting(one.counts))}</td>
      <td class="num ${late(one) ? 'warn' : ''}">${one.oldestDueSeconds === undefined ? '–' : duration(one.oldestDueSeconds)}</td>
      <td class="num">${number(one.running)}</td></tr>`)}</tbody></table></section>`;
  }

  failuresPanel() {
    const groups = this.failures.value?.range === this.range ? this.failures.value.failures : undefined;
    return html`<section class="panel">${heading(`Failures, ${RANGES[this.range][1]}`, `#/jobs?${this.ended('failed')}`)}${!groups ? loading(3) : !groups.length
      ? html`<p class="empty-line faint">No failed jobs ${this.failedCount() ? 'remain from' : 'in'} the last ${RANGE_WORDS[this.range]}.</p>`
      : html`<table class="table"><thead><tr><th>Definition and error</th><th class="num w-count">Jobs</th><th class="num w-time">Latest job</th></tr></thead>
      <tbody>${groups.slice(0, MAX_ROWS).map((one) => html`<tr><td title=${one.message}><a class="clip" href="#/jobs?${this.ended('failed', { definitionKey: one.definitionKey })}">${one.definitionKey}</a>
      <span class="clip small"><span class="bad">${one.code}</span> ${errorType(one)}${one.message}</span></td><td class="num">${this.failures.value.complete ? '' : '≥'}${compact(one.count)}</td>
      <td class="num once">${jobLink(one.latestJobId, relative(one.latestAt))}</td></tr>`)}</tbody></table>`}</section>`;
  }

  databasePanel() {
    const health = this.database.value;
    if (!this.may('operator') || inMemory) {
      return nothing;
    }
    if (!health) {
      return html`<section class="panel"><h2>Database</h2>${this.database.error ? failure(this.database.error) : loading(3)}</section>`;
    }
    const old = health.oldestSnapshotSeconds > 300;
    return html`<section class="panel ${old ? '' : 'is-optional'}"><h2>Database</h2><dl class="facts">
      <div><dt>Oldest snapshot</dt><dd class=${old ? 'warn' : ''}>${duration(health.oldestSnapshotSeconds)}${old
        ? html` <span class="small">held by ${health.snapshotHolder ?? 'an unknown session'}; claims are slower until it ends</span>` : nothing}</dd></div>
      <div><dt>Connections</dt><dd>${number(health.connections)} of ${number(health.maxConnections)}</dd></div>
      <div><dt>Live jobs</dt><dd>${bytes(health.liveBytes)}, ${compact(health.deadRows)} dead rows</dd></div>
      <div><dt>Finished jobs</dt><dd>${bytes(health.finishedBytes)} in ${plural(health.partitions, 'daily partition')}</dd></div>
      <div><dt>Version</dt><dd>${health.version}</dd></div></dl></section>`;
  }

  schedulesPanel() {
    const all = this.schedules.value?.schedules ?? [];
    const schedules = all.filter((one) => one.nextRunAt && one.enabled).toSorted((a, b) => (a.nextRunAt < b.nextRunAt ? -1 : 1)).slice(0, 6);
    return html`<section class="panel">${heading('Next fires', '#/schedules', all.length)}${!this.schedules.value ? loading(3) : !schedules.length
      ? html`<p class="empty-line faint">No upcoming fires. A <a href="#/schedules">schedule</a> starts jobs at set times.</p>` : nothing}<table class="table"><tbody>${schedules.map((one) => html`<tr>
      <td title=${one.name ?? one.key}><a class="clip" href="#/schedules/${encodeURIComponent(one.key)}">${one.name ?? one.key}</a></td><td class="is-optional" title=${one.definitionKey}><span class="clip">${one.definitionKey}</span></td><td class="num w-time">${time(one.nextRunAt, Date.parse(one.nextRunAt) < now() ? 'now' : undefined)}</td></tr>`)}</tbody></table></section>`;
  }
}

/** Returns the heading of a panel, with a link to the complete list. */
const heading = (title, href, count) => html`<h2>${title} <a class="small" href=${href}>${count === undefined ? 'Show jobs' : `All ${number(count)}`}</a></h2>`;

/** Returns the type of an exception without its package. */
const errorType = (one) => (one.type ? `${one.type.split('.').at(-1)}: ` : '');

const tile = (name, value, more, href, kind = '') => html`<a class="panel tile ${kind}" href=${href}><div class="name">${name}</div>
  <div class="value">${value}</div><div class="more">${more}</div></a>`;

customElements.define('overview-screen', OverviewScreen);
