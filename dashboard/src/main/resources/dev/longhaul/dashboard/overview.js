// The overview: what runs, what is stuck, what fails, at a glance.
import { html, nothing } from 'lit';
import { get, now } from './api.js';
import './charts.js';
import { bytes, compact, duration, number, plural, rate as perTime, relative } from './format.js';
import { Poll } from './live.js';
import { Screen, empty, failure, jobLink, jobsLink, loading, time } from './parts.js';

const RANGES = { '5m': [300, '5 min'], '1h': [3600, '1 h'], '6h': [21_600, '6 h'], '24h': [86_400, '24 h'], '7d': [604_800, '7 days'], '30d': [2_592_000, '30 days'] };

/** Seconds after which every process has written what it counted. */
const WRITTEN_WITHIN = 10;

class OverviewScreen extends Screen {
  constructor() {
    super();
    this.stats = new Poll(this, (signal) => get('/v1/stats', signal), 2000);
    this.queues = new Poll(this, (signal) => get('/v1/queues', signal), 3000);
    this.series = new Poll(this, (signal) => this.ofRange('timeseries', signal), 5000);
    this.failures = new Poll(this, (signal) => this.ofRange('failures', signal), 5000);
    this.database = new Poll(this, (signal) => (this.may('operator') ? get('/v1/stats/database', signal) : null), 10_000);
    this.schedules = new Poll(this, (signal) => get('/v1/schedules?limit=200', signal), 5000);
  }

  get range() {
    return RANGES[this.query.get('range')] ? this.query.get('range') : '1h';
  }

  get seconds() {
    return RANGES[this.range][0];
  }

  /** With the range that it is of: what is shown must not be taken for another's while that is on its way. */
  async ofRange(what, signal) {
    const { range } = this;
    return { ...(await get(`/v1/stats/${what}?rangeSeconds=${this.seconds}`, signal)), range };
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
      ${total === 0 ? empty('No jobs yet', 'Start the first one from the Jobs screen, or paste this into a terminal:',
        `curl -s ${location.origin}/v1/jobs -H 'Content-Type: application/json' \\\n  -d '{"definitionKey": "demo.count", "params": {"to": 20, "everyMillis": 500}}'`)
        : html`${this.tiles(stats)}${this.charts()}`}
      ${total === 0 ? nothing : html`<div class="panels">${this.queuesPanel()}${this.failuresPanel()}${this.databasePanel()}${this.schedulesPanel()}</div>`}`;
  }

  points() {
    return this.series.value?.series[0]?.points ?? [];
  }

  tiles(stats) {
    const { counts } = stats;
    const points = this.points();
    const known = this.series.value?.range === this.range;
    const sum = (name) => points.reduce((all, one) => all + one[name], 0);
    const some = (name) => (known ? compact(sum(name)) : '…');
    const about = stats.estimated ? '≈' : '';
    const waiting = counts.queued + counts.retrying;
    return html`<div class="tiles">
      ${tile('Running now', number(counts.running + counts.cancelling), `of ${plural(stats.slots, 'slot')}, ${plural(stats.workers, 'worker')}`,
        '#/jobs?status=running,cancelling', stats.workers === 0 ? 'is-bad' : '')}
      ${tile('Backlog', `${waiting ? about : ''}${compact(waiting)}`, `${compact(counts.scheduled)} scheduled for later`, '#/jobs?status=queued,retrying')}
      ${tile('Oldest due job', stats.oldestDueSeconds > 0 ? duration(stats.oldestDueSeconds) : '–', stats.oldestDueSeconds > 0 ? 'waits for a worker' : 'nothing waits', '#/jobs?status=queued&order=oldest',
        stats.oldestDueSeconds > 60 ? 'is-warn' : '')}
      ${tile(`Succeeded, ${RANGES[this.range][1]}`, some('succeeded'), known ? `${perTime(sum('succeeded') / this.seconds)} on average` : '…', `#/jobs?status=succeeded&since=${this.range}`)}
      ${tile(`Failed, ${RANGES[this.range][1]}`, some('failed'), `${some('retried')} attempts retried`, `#/jobs?status=failed&since=${this.range}`, known && sum('failed') ? 'is-bad' : '')}
    </div>`;
  }

  charts() {
    const step = this.series.value?.stepSeconds ?? 1;
    // A step that is not over, or not written by all, would look like a breakdown.
    const points = this.points().filter((one) => Date.parse(one.at) + (step + WRITTEN_WITHIN) * 1000 <= now());
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
    const queues = (this.queues.value?.queues ?? []).toSorted((a, b) => (b.oldestDueSeconds ?? -1) - (a.oldestDueSeconds ?? -1)).slice(0, 8);
    return html`<section class="panel"><h2><a href="#/queues">Queues</a></h2><table class="table"><thead><tr><th>Queue</th><th class="num">Waiting</th>
      <th class="num">Oldest due</th><th class="num">Running</th></tr></thead><tbody>${queues.map((one) => html`<tr><td>${jobsLink({ queue: one.name }, one.name)}
      ${one.paused ? html`<span class="warn small">paused</span>` : nothing}</td>
      <td class="num">${one.estimated ? '≈' : ''}${compact(one.counts.queued + one.counts.retrying)}</td>
      <td class="num ${one.oldestDueSeconds > 60 ? 'warn' : ''}">${one.oldestDueSeconds === undefined ? '–' : duration(one.oldestDueSeconds)}</td>
      <td class="num">${number(one.running)}</td></tr>`)}</tbody></table></section>`;
  }

  failuresPanel() {
    const groups = this.failures.value?.range === this.range ? this.failures.value.failures : undefined;
    return html`<section class="panel"><h2>Failures, ${RANGES[this.range][1]}</h2>${!groups ? loading(3) : !groups.length
      ? html`<p class="empty-line faint">None. What failed for good in this time, if anything, has been retried.</p>`
      : html`<table class="table stack"><thead><tr><th>Definition</th><th>Error</th><th class="num">Jobs</th><th>Latest</th></tr></thead>
      <tbody>${groups.slice(0, 8).map((one) => html`<tr><td class="word">${jobsLink({ definitionKey: one.definitionKey, status: 'failed', since: this.range }, one.definitionKey)}</td>
      <td data-label="Error"><span class="bad">${one.code}</span> <span class="small soft-clip">${one.message}</span></td><td data-label="Jobs" class="num">${this.failures.value.complete ? '' : '≥'}${compact(one.count)}</td>
      <td data-label="Latest" class="once">${jobLink(one.latestJobId, relative(one.latestAt))}</td></tr>`)}</tbody></table>`}</section>`;
  }

  databasePanel() {
    if (!this.may('operator')) {
      return nothing;
    }
    const health = this.database.value;
    if (!health) {
      return html`<section class="panel"><h2>Database</h2>${loading(3)}</section>`;
    }
    const old = health.oldestSnapshotSeconds > 300;
    return html`<section class="panel"><h2>Database</h2><dl class="facts">
      <div><dt>Oldest snapshot</dt><dd class=${old ? 'warn' : ''}>${duration(health.oldestSnapshotSeconds)}${old
        ? html` <span class="small">held by ${health.snapshotHolder ?? 'somebody'}: claims slow down while it lasts</span>` : nothing}</dd></div>
      <div><dt>Live jobs table</dt><dd>${bytes(health.liveBytes)}, ${compact(health.deadRows)} dead rows</dd></div>
      <div><dt>Finished jobs</dt><dd>${bytes(health.finishedBytes)} in ${plural(health.partitions, 'day')}</dd></div>
      <div><dt>Connections</dt><dd>${number(health.connections)} of ${number(health.maxConnections)}</dd></div>
      <div><dt>Version</dt><dd>${health.version}</dd></div></dl></section>`;
  }

  schedulesPanel() {
    const schedules = (this.schedules.value?.schedules ?? []).filter((one) => one.nextRunAt && one.enabled)
      .toSorted((a, b) => (a.nextRunAt < b.nextRunAt ? -1 : 1)).slice(0, 6);
    return html`<section class="panel"><h2><a href="#/schedules">Next fires</a></h2>${!this.schedules.value ? loading(3) : !schedules.length
      ? html`<p class="empty-line faint">None. A <a href="#/schedules">schedule</a> starts jobs at set times.</p>` : nothing}<table class="table"><tbody>${schedules.map((one) => html`<tr>
      <td><a href="#/schedules/${encodeURIComponent(one.key)}">${one.name ?? one.key}</a></td><td>${one.definitionKey}</td><td>${time(one.nextRunAt, Date.parse(one.nextRunAt) < now() ? 'now' : undefined)}</td></tr>`)}</tbody></table></section>`;
  }
}

const tile = (name, value, more, href, kind = '') => html`<a class="panel tile ${kind}" href=${href}><div class="name">${name}</div>
  <div class="value">${value}</div><div class="more">${more}</div></a>`;

customElements.define('overview-screen', OverviewScreen);
