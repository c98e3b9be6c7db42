// One job: its status, output, runs, events and actions, and why it is still waiting.
import { html, nothing } from 'lit';
import { addressWith, listParam, open } from './address.js';
import { get, post, call, url, withQuery } from './api.js';
import { curl, submission, submit } from './commands.js';
import { between, bytes, clockTime, duration, fullTime, number, plural, relative } from './format.js';
import { Poll, Stream, coalesced } from './live.js';
import { ENDED, RETRYABLE, Screen, WAITING, attempt, checkJson, chip, confirm, copyButton, facts, failure, jobsLink, json, labels, loading,
  progress, time } from './parts.js';
import './log-view.js';

const TABS = { output: 'Output', runs: 'Runs', data: 'Params and result', events: 'Events' };
const MAX_EVENTS = 1000;

/** Returns what is known about the pod of the latest run after that event; null if the run has no pod. */
function podAfter(pod, event) {
  const { type, payload } = event;
  if (type === 'started') {
    return null;
  }
  if (type === 'custom' && payload?.name === 'pod') {
    const { reason, message, restarts } = payload.data;
    return { restarts: 0, ...pod, ...(restarts === undefined ? { status: message ? `${reason}: ${message}` : reason } : { restarts }) };
  }
  return type === 'process_start' && payload?.pod ? { restarts: pod?.restarts ?? 0, ...payload, status: 'Running' } : pod;
}

class JobScreen extends Screen {
  static properties = { ...Screen.properties, events: { state: true }, state: { state: true } };

  constructor() {
    super();
    this.events = [];
    this.position = 0;
    this.state = 'connecting';
    this.job = new Poll(this, (signal) => {
      this.loadedFull = this.showsFull;
      return this.load(this.loadedFull, signal);
    }, 0);
    this.runs = new Poll(this, (signal) => get(`/v1/jobs/${this.id}/runs`, signal), 0);
    this.why = new Poll(this, (signal) => this.loadWhy(signal), 3000);
    this.received = coalesced((events) => this.apply(events), 100);
    this.refresh = coalesced(() => { this.job.refresh(); this.runs.refresh(); this.why.refresh(); }, 300);
  }

  get id() {
    return this.path[1];
  }

  /**
   * Whether the page shows params or a stack trace. Only the full view contains them, and the server records each full
   * view in the audit trail.
   */
  get showsFull() {
    return this.may('operator') && (this.query.get('tab') === 'data' || listParam(this.query, 'unfolded').includes('stack'));
  }

  load(full, signal) {
    return get(withQuery(`/v1/jobs/${this.id}`, { view: full ? 'full' : undefined }), signal);
  }

  /** Returns the job, with its params if the role may see them. */
  async withParams() {
    const job = this.job.value;
    return job.params === undefined && this.may('operator') ? this.load(true) : job;
  }

  async loadWhy(signal) {
    const job = this.job.value;
    return !job || WAITING.has(job.status) ? get(`/v1/jobs/${this.id}/why`, signal) : null;
  }

  connectedCallback() {
    super.connectedCallback();
    // Updates ages and durations every second.
    this.clock = setInterval(() => this.requestUpdate(), 1000);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.clock);
    this.stream?.close();
    this.stream = null;
  }

  updated(changes) {
    // Starts the stream once the log view exists, because the log view displays its events.
    if (this.log && !this.stream) {
      this.listen();
    }
    if (changes.has('query')) {
      this.log?.keepUp();
    }
    if (this.showsFull && !this.loadedFull) {
      this.job.refresh();
    }
    this.openForm('edit', WAITING.has(this.job.value?.status) && this.may('submitter'), () => this.edit());
  }

  get log() {
    return this.querySelector('log-view');
  }

  listen() {
    this.stream?.close();
    this.events = [];
    this.position = 0;
    this.pod = null;
    const event = (data) => this.received(data);
    const types = ['created', 'held', 'released', 'edited', 'cancel_requested', 'started', 'progress', 'log', 'output', 'step', 'snoozed',
      'retrying', 'lost', 'succeeded', 'failed', 'cancelled', 'retried', 'process_start', 'process_end', 'process_error',
      'hook_failed', 'custom', 'heartbeat'];
    const handlers = Object.fromEntries(types.map((type) => [type, event]));
    handlers.end = () => {
      this.stream.close();
      this.received({ type: 'end' });
    };
    this.stream = new Stream(() => `/v1/jobs/${this.id}/events?from=${this.position}`, handlers, (state) => (this.state = state));
  }

  apply(events) {
    const added = [];
    let changed = false;
    for (const one of events) {
      if (one.type === 'end') {
        this.log?.end();
        changed = true;
        continue;
      }
      if (one.position <= this.position) {
        continue;
      }
      this.position = one.position;
      this.pod = podAfter(this.pod, one);
      if (one.type === 'log' || one.type === 'output') {
        this.log?.add(one);
      } else if (one.type === 'progress' && this.job.value) {
        this.job.value.progress = one.payload ?? this.job.value.progress;
      } else if (one.type !== 'heartbeat') {
        changed = true;
      }
      added.push(one);
    }
    this.events = [...this.events, ...added].slice(-MAX_EVENTS);
    if (changed) {
      this.refresh();
    }
  }

  // Actions

  async act(verb, done) {
    await attempt(() => post(`/v1/jobs/${this.id}/${verb}`), done);
    this.afterAction();
  }

  afterAction() {
    this.refresh();
    if (this.state === 'closed') {
      this.listen();
      this.log?.clear();
    }
  }

  async cancel() {
    const running = this.job.value.status === 'running';
    const values = await confirm({
      title: 'Cancel this job?',
      body: html`<p>${running ? 'The job is asked to stop, and stopped by force after its grace period.' : 'The job is cancelled immediately and does not run.'}</p>
        <label class="field"><span>Reason (shown with the job)</span><input name="reason" maxlength="200" autocomplete="off"></label>`,
      act: 'Cancel job',
      keep: running ? 'Keep running' : 'Don’t cancel',
    });
    if (values) {
      await attempt(() => post(`/v1/jobs/${this.id}/cancel`, values.reason ? { reason: values.reason } : {}), 'Cancellation requested.');
      this.afterAction();
    }
  }

  async edit() {
    const job = (await attempt(() => this.withParams())) ?? this.job.value;
    if (!this.query.has('edit')) {
      return;
    }
    const values = await confirm({
      title: 'Edit this job',
      body: html`
        <label class="field"><span>Name</span><input name="name" .value=${job.name ?? ''} maxlength="200"></label>
        <label class="field"><span>Priority (-1000 to 1000, higher first)</span><input name="priority" type="number" min="-1000" max="1000"
          .value=${String(job.priority)}></label>
        <label class="field"><span>Run at (empty: unchanged)</span><input name="runAt" type="datetime-local" step="1"></label>
        ${job.maxAttempts ? html`<label class="field"><span>Max attempts</span><input name="maxAttempts" type="number" min="1" max="1000"
          .value=${String(job.maxAttempts)}></label>` : nothing}
        ${job.params === undefined ? nothing : html`<label class="field"><span>Params (JSON)</span><textarea name="params" rows="6"
          class="mono" spellcheck="false" .value=${JSON.stringify(job.params, null, 2)}></textarea></label>`}`,
      act: 'Save',
      kind: 'is-main',
      name: 'edit',
    });
    if (!values) {
      return;
    }
    await attempt(async () => {
      const changes = {};
      if (values.name !== (job.name ?? '')) changes.name = values.name;
      if (Number(values.priority) !== job.priority) changes.priority = Number(values.priority);
      if (values.runAt) changes.runAt = new Date(values.runAt).toISOString();
      if (values.maxAttempts && Number(values.maxAttempts) !== job.maxAttempts) changes.maxAttempts = Number(values.maxAttempts);
      let body = JSON.stringify(changes);
      if (values.params !== undefined && values.params !== JSON.stringify(job.params, null, 2)) {
        checkJson('Params', values.params);
        // Uses the text as typed, so that large numbers stay exact.
        body = `${body.slice(0, -1)}${body === '{}' ? '' : ','}"params":${values.params}}`;
      }
      return call('PATCH', `/v1/jobs/${this.id}`, body);
    }, 'Job saved.');
    this.refresh();
  }

  // Rendering

  render() {
    const job = this.job.value;
    this.ready ||= job && [this.runs, this.why].every((one) => one.value || one.error || (one === this.why && !WAITING.has(job.status)));
    if (!job || !this.ready) {
      return this.job.error
        ? html`<div class="empty"><h1>Job not available</h1><p>${this.job.error.message}</p><p><a href="#/jobs">All jobs</a></p></div>`
        : loading(10);
    }
    const tab = TABS[this.query.get('tab')] ? this.query.get('tab') : 'output';
    return html`
      <nav class="crumbs" aria-label="Place"><a href="#/jobs">Jobs</a> <span class="faint">/</span>
        ${jobsLink({ definitionKey: job.definitionKey }, job.definitionKey)}</nav>
      <div class="head">
        <h1>${job.name ?? job.definitionKey} ${chip(job.status)}</h1>
        <div class="actions">${this.actions(job)}</div></div>
      <p class="sub"><span class="mono">${job.jobId}</span> ${copyButton(job.jobId, 'Copy id')}
        ${this.live(job)}</p>
      ${job.status === 'running' || job.status === 'cancelling' ? progress(job) : nothing}
      ${this.whyPanel(job)}${this.errorPanel(job)}
      <div class="split"><section class="panel" aria-label="Facts">${this.facts(job)}</section>
        <section class="panel" aria-label="Timeline">${this.timeline(job)}</section></div>
      <div class="tabs" role="tablist" aria-label="Details">${Object.entries(TABS).map(([name, title]) => html`<a role="tab"
        id="tab-${name}" aria-selected=${name === tab} aria-controls="tab-panel" href=${addressWith({ tab: name })}>${title}</a>`)}</div>
      <section id="tab-panel" role="tabpanel" aria-labelledby="tab-${tab}">
        <log-view .jobId=${this.id} .search=${this.query.get('find') ?? ''} ?live=${!ENDED.has(job.status)} ?hidden=${tab !== 'output'}></log-view>
        ${tab === 'runs' ? this.runsTable() : tab === 'data' ? this.data(job) : tab === 'events' ? this.eventsTable() : nothing}</section>`;
  }

  live(job) {
    if (ENDED.has(job.status)) {
      return nothing;
    }
    return html`<span class="live is-${this.state}" role="status">${this.state === 'live' ? 'live' : `${this.state}…`}</span>`;
  }

  actions(job) {
    const hidden = this.may('operator') ? '' : 'You need the operator role to view params.';
    return html`
      ${RETRYABLE.has(job.status) ? this.action('operator', 'Retry job', () => this.act('retry', 'Job queued again.'), { kind: 'is-main' }) : nothing}
      ${job.status === 'created' ? this.action('submitter', 'Release job', () => this.act('release', 'Job released.'), { kind: 'is-main' }) : nothing}
      ${job.status === 'scheduled' || job.status === 'retrying'
        ? this.action('submitter', 'Run now', () => this.act('runNow', 'The job is due now.'), { kind: 'is-main' }) : nothing}
      ${['scheduled', 'queued', 'retrying'].includes(job.status) && !job.scheduleKey
        ? this.action('submitter', 'Hold job', () => this.act('hold', 'Job held.')) : nothing}
      ${WAITING.has(job.status) ? this.action('submitter', 'Edit job', () => open({ edit: 'yes' })) : nothing}
      ${!ENDED.has(job.status) ? this.action('submitter', 'Cancel job', () => this.cancel(), { kind: 'is-danger', disabled: job.status === 'cancelling',
        why: job.status === 'cancelling' ? 'Cancellation is already requested.' : '' }) : nothing}
      ${copyButton(async () => curl(this.session, '/v1/jobs', submission(await this.withParams())), 'Copy as curl', hidden)}${copyButton(async () => submit(await this.withParams()), 'Copy as CLI', hidden)}`;
  }

  whyPanel(job) {
    const why = this.why.value;
    if (!why || !WAITING.has(job.status)) {
      return nothing;
    }
    return html`<section class="why panel" aria-labelledby="why-title"><h2 id="why-title">Why is it not running?</h2>
      <ul>${why.reasons.map((one) => html`<li class="is-${one.code}"><span>${one.message}</span>
        ${one.code === 'queue_paused' ? html`<a href="#/queues">Queues</a>` : nothing}
        ${one.code === 'no_worker' && this.may('operator') ? html`<a href="#/workers">Workers</a>` : nothing}</li>`)}</ul></section>`;
  }

  errorPanel(job) {
    const error = job.error;
    if (!error || job.status === 'succeeded') {
      return nothing;
    }
    return html`<section class="notice is-bad" aria-label="Error"><b>${error.code}</b> ${error.message}
      ${this.may('operator') ? this.foldable('unfolded', 'stack', 'Stack trace', error.stack ? html`<pre tabindex="0">${error.stack}</pre>`
        : html`<p class="faint">${job.params === undefined ? 'Loading…' : 'No stack trace.'}</p>`) : nothing}</section>`;
  }

  facts(job) {
    const end = this.events.filter((one) => one.type === 'process_end').at(-1)?.payload;
    return facts([
      ['Definition', html`<a href="#/definitions?key=${encodeURIComponent(job.definitionKey)}">${job.definitionKey}@${job.definitionVersion}</a>`],
      ['Queue', jobsLink({ queue: job.queue }, job.queue)],
      ['Priority', job.priority],
      ['Attempts', job.attempts === undefined ? undefined : `${job.attempts} of ${job.maxAttempts}`],
      ['Timeout', job.timeoutSeconds === undefined ? undefined : `${duration(job.timeoutSeconds)} per attempt`],
      ['Worker', job.workerId ?? this.runs.value?.runs.at(-1)?.executorId],
      ['Pod', this.pod?.pod ? html`<span class="mono">${this.pod.namespace}/${this.pod.pod}</span>` : undefined],
      ['Pod status', this.pod?.status && !ENDED.has(job.status) ? this.pod.status : undefined],
      ['Node', this.pod?.node],
      ['Image', this.pod?.image],
      ['Restarts', this.pod?.pod ? this.pod.restarts : undefined],
      ['Exit', end ? exit(end) : undefined],
      ['Peak memory', end?.peakMemoryBytes ? bytes(end.peakMemoryBytes) : undefined],
      ['Schedule', job.schedule ? html`<a href="#/schedules/${encodeURIComponent(job.schedule.key)}">${job.schedule.key}</a>` : undefined],
      ['Correlation id', job.correlationId ? jobsLink({ correlationId: job.correlationId }, job.correlationId) : undefined],
      ['Created by', job.createdBy],
      ['Cancel reason', job.cancelReason],
      ['Labels', Object.keys(job.labels ?? {}).length ? labels(job.labels) : undefined],
    ]);
  }

  timeline(job) {
    const runs = this.runs.value?.runs ?? [];
    const cancelRequest = job.status === 'cancelling' ? this.events.findLast((one) => one.type === 'cancel_requested') : null;
    const step = (at, title, more, kind = '') => html`<li class=${kind}><b>${title}</b> ${time(at)}
      <span class="faint small">${clockTime(at)}${more ? ` · ${more}` : ''}</span></li>`;
    return html`<ol class="timeline">
      ${step(job.createdAt, 'Created', job.createdBy ? `by ${job.createdBy}` : '')}
      ${runs.map((run) => html`${step(run.startedAt, `Run ${run.run}`, run.executorId, 'is-start')}
        ${run.endedAt ? step(run.endedAt, run.status, `after ${duration(between(run.startedAt, run.endedAt))}${run.error ? ` · ${run.error.code}` : ''}`,
          `is-${run.status}`) : nothing}`)}
      ${job.status === 'retrying' || job.status === 'scheduled' ? step(job.runAt, 'Next run', fullTime(job.runAt), 'is-next') : nothing}
      ${cancelRequest ? step(cancelRequest.at, 'Cancellation requested', job.cancelReason, 'is-cancelling') : nothing}
      ${job.status === 'running' ? html`<li class="is-running"><b>running</b> <span>for ${duration(between(job.startedAt))}</span></li>` : nothing}
      ${ENDED.has(job.status) && runs.at(-1)?.status !== job.status ? step(job.finishedAt, job.status, '', `is-${job.status}`) : nothing}
    </ol>`;
  }

  runsTable() {
    if (this.runs.error) {
      return failure(this.runs.error);
    }
    const runs = this.runs.value?.runs ?? [];
    if (!runs.length) {
      return html`<p class="empty-line faint">This job has not run yet.</p>`;
    }
    return html`<div class="table-wrap"><table class="table stack"><thead><tr><th>Run</th><th>Status</th><th>Started</th><th class="num">Took</th><th>Worker</th>
      <th>Error</th><th>Log</th></tr></thead><tbody>${runs.toReversed().map((run) => html`<tr><td data-label="Run" class="once">${run.run}</td><td data-label="Status" class="once">${chip(run.status)}</td>
      <td data-label="Started" class="once">${time(run.startedAt)}</td><td data-label="Took" class="num">${duration(Math.max(0, between(run.startedAt, run.endedAt)))}</td>
      <td data-label="Worker" class="mono small">${run.executorId ?? ''}</td>
      <td data-label="Error">${run.error ? html`<span class="bad">${run.error.code}: ${run.error.message}</span>` : nothing}</td>
      <td data-label="Log" class="once"><a href=${url(`/v1/jobs/${this.id}/log?run=${run.run}`)} download="${this.id}-${run.run}.log">Download</a></td></tr>`)}</tbody></table></div>`;
  }

  data(job) {
    return html`<div class="split">
      <section class="panel"><h2>Params</h2>${job.params === undefined
        ? html`<p class="faint">${this.may('operator') ? 'Loading…' : 'You need the operator role to view params.'}</p>` : json(job.params)}</section>
      <section class="panel"><h2>Result</h2>${job.result === undefined
        ? html`<p class="faint">${job.status === 'succeeded' ? 'No result.' : 'Available after success.'}</p>` : json(job.result)}</section></div>`;
  }

  eventsTable() {
    const shown = this.events.filter((one) => one.type !== 'output' && one.type !== 'log').toReversed();
    return html`<div class="table-wrap"><table class="table stack"><thead><tr><th class="num">#</th><th>Event</th><th>Run</th><th>At</th><th>Details</th></tr></thead>
      <tbody>${shown.map((one) => html`<tr><td data-label="#" class="num faint">${one.position}</td><td data-label="Event" class="once"><b>${one.type}</b></td><td data-label="Run" class="once">${one.run || ''}</td>
      <td data-label="At" class="once" title=${one.at}>${clockTime(one.at)} <span class="faint">${relative(one.at)}</span></td>
      <td data-label="Details" class="mono small">${one.payload === undefined ? '' : JSON.stringify(one.payload)}</td></tr>`)}</tbody></table></div>
      <p class="faint small">${this.events.length >= MAX_EVENTS ? `The last ${number(MAX_EVENTS)} events` : plural(this.events.length, 'event')}.
        Log lines and output are in the Output tab.</p>`;
  }
}

function exit(end) {
  const how = end.signal !== undefined ? `signal ${end.signal}` : end.exitCode !== undefined ? `code ${end.exitCode}` : 'ended';
  return end.outOfMemory ? `${how} (out of memory)` : how;
}

customElements.define('job-screen', JobScreen);
