// The list of jobs: filtered by the address and updated live, without moving rows that the user points at.
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { close, listParam, open, replaceQuery, toggleListParam } from './address.js';
import { get, now, post, withQuery } from './api.js';
import { Filters, RANGE_NAMES, TIME_NAMES } from './filters.js';
import { anyOf, between, compact, duration, localTime, number, plural, relative, shortId } from './format.js';
import { Poll, Stream, coalesced, paced } from './live.js';
import { ENDED, RETRYABLE, STATUSES, Screen, chip, confirm, failure, labels, loading, showMessage, statusName, time } from './parts.js';
import './start-job.js';

const PAGE = 50;
/**
 * Maximum number of selected jobs, because the address contains their ids. Allows a page plus selected jobs of an
 * earlier page.
 */
const MAX_SELECTED = 100;
const CANCELLABLE = ['created', 'scheduled', 'queued', 'retrying', 'running'];
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Maximum number of concurrent requests of an action on the selection. */
const CONCURRENT_REQUESTS = 6;

class JobsScreen extends Screen {
  static properties = { ...Screen.properties, fresh: { state: true }, state: { state: true } };

  constructor() {
    super();
    this.fresh = new Set();
    this.updates = new Map();
    this.state = 'connecting';
    this.page = new Poll(this, (signal) => this.loadPage(signal), 30_000);
    this.counts = new Poll(this, (signal) => get(withQuery('/v1/jobs/count', this.countParams()), signal), 5000);
    this.names = new Poll(this, (signal) => this.loadNames(signal), 60_000);
    this.changed = coalesced((jobs) => this.apply(jobs), 500);
    this.reload = paced(() => this.page.refresh(), 2000);
  }

  get filters() {
    return new Filters(this.query);
  }

  countParams() {
    const { status, order, cursor, ...rest } = this.filters.params();
    return rest;
  }

  async loadPage(signal) {
    this.updates = new Map();
    const page = await get(withQuery('/v1/jobs', { ...this.filters.params(), limit: PAGE }), signal);
    // An event that was received while this request was running may be newer than its response.
    page.jobs = page.jobs.map((job) => (this.updates.has(job.jobId) ? newer(job, this.updates.get(job.jobId)) : job));
    const shown = this.page.value;
    if (!shown) {
      await this.addSelected(page.jobs, signal);
    }
    if (shown && !this.acted && this.busy()) {
      return this.updateRows(shown, page);
    }
    this.acted = false;
    this.fresh = new Set();
    return page;
  }

  /** Adds selected jobs that are not on this page any more, or do not match the filter any more. */
  async addSelected(jobs, signal) {
    const listed = new Set(jobs.map((job) => job.jobId));
    const missing = [...this.selected].filter((id) => !listed.has(id));
    const found = await Promise.all(missing.map((id) => get(`/v1/jobs/${id}`, signal).catch((e) => (e.status === 404 ? [] : Promise.reject(e)))));
    const direction = this.filters.get('order') === 'oldest' ? 1 : -1;
    jobs.push(...found.flat());
    jobs.sort((a, b) => (a.jobId < b.jobId ? -direction : direction));
  }

  /**
   * Updates the shown rows from a loaded page. While the user points at a row, rows keep their places, and new jobs are
   * added later.
   */
  updateRows(shown, loaded) {
    const rows = new Set(shown.jobs.map((job) => job.jobId));
    const current = new Map(loaded.jobs.map((job) => [job.jobId, job]));
    this.fresh = new Set(this.showsNewest() ? [...current.keys()].filter((id) => !rows.has(id)) : []);
    return { ...shown, jobs: shown.jobs.map((job) => current.get(job.jobId) ?? job) };
  }

  async loadNames(signal) {
    const [definitions, queues] = await Promise.all([get('/v1/definitions', signal), get('/v1/queues', signal)]);
    return {
      definitions: [...new Set(definitions.definitions.map((one) => one.definitionKey))],
      queues: queues.queues.map((one) => one.name),
    };
  }

  willUpdate(changes) {
    const before = changes.get('query');
    if (changes.has('query')) {
      this.selected = new Set(listParam(this.query, 'selected').filter((id) => ID.test(id)).slice(0, MAX_SELECTED));
    }
    if (before && new Filters(before).text !== this.filters.text) {
      this.page.value = null;
      this.page.refresh();
      this.counts.refresh();
    }
  }

  updated(changes) {
    const address = this.filters.eventsAddress();
    if (changes.has('query') && address !== this.streamAddress) {
      this.stream?.close();
      this.streamAddress = address;
      this.stream = new Stream(() => address, { job: this.changed, reset: this.reload }, (state) => this.setStreamState(state));
      this.state = 'connecting';
    }
  }

  setStreamState(state) {
    if (state === 'live' && this.state === 'reconnecting') {
      // Events during the disconnect were not received, so the page is loaded again.
      this.reload();
    }
    this.state = state;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.stream?.close();
    this.streamAddress = null;
  }

  /**
   * Applies job events to the shown rows. New jobs are not inserted from events. Instead the page is loaded again, so
   * that its rows and the cursor of the next page come from one response and no job is missed. While the user points at
   * a row, new jobs are added later.
   */
  apply(jobs) {
    jobs.forEach((job) => this.updates.set(job.jobId, job));
    const page = this.page.value;
    if (!page) {
      return;
    }
    const rows = new Map(page.jobs.map((job, i) => [job.jobId, i]));
    const fresh = new Set(this.fresh);
    for (const job of jobs) {
      const row = rows.get(job.jobId);
      if (row !== undefined) {
        page.jobs[row] = newer(page.jobs[row], job);
      } else if (this.showsNewest() && this.filters.matches(job) && job.jobId > (page.nextCursor ?? '')) {
        // An older job may match the filter since this event.
        fresh.add(job.jobId);
      } else {
        fresh.delete(job.jobId);
      }
    }
    const busy = this.busy();
    this.fresh = busy ? fresh : new Set();
    if (fresh.size && !busy) {
      this.reload();
    }
    this.requestUpdate();
  }

  showsNewest() {
    return !this.query.get('cursor') && this.query.get('order') !== 'oldest';
  }

  /**
   * Returns whether rows must keep their places. On touch screens they always must, because a finger is detected only
   * when it taps.
   */
  busy() {
    return this.selected.size > 0 || scrollY > 40 || matchMedia('(pointer: coarse)').matches
      || this.querySelector('tbody:hover, tbody:focus-within') !== null;
  }

  showNew() {
    this.acted = true;
    this.page.refresh();
    scrollTo(0, 0);
  }

  go(changes) {
    location.hash = `#/jobs?${this.filters.with(changes)}`;
  }

  /** Adds labels to the filter, replaces the name, or opens a job by its id. */
  search(event) {
    event.preventDefault();
    const field = event.target.elements.search;
    const text = field.value.trim();
    if (ID.test(text)) {
      location.hash = `#/jobs/${text.toLowerCase()}`;
    } else if (text.includes('=')) {
      const pairs = text.split(/\s+(?=[^\s=]+=)/).map((pair) => [`label.${pair.slice(0, pair.indexOf('='))}`, pair.slice(pair.indexOf('=') + 1)]);
      field.value = '';
      this.go({ name: '', ...Object.fromEntries(pairs) });
    } else {
      this.go({ name: text });
    }
  }

  toggleStatus(status) {
    const chosen = new Set(this.filters.statuses);
    if (!chosen.delete(status)) {
      chosen.add(status);
    }
    this.go({ status: STATUSES.filter((one) => chosen.has(one)).join(',') });
  }

  keyDown(event) {
    const row = event.target.closest('tr[data-id]');
    const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[event.key];
    if (row && step) {
      row[step]?.querySelector('a.row-link')?.focus();
      event.preventDefault();
    } else if (row && event.key === 'x' && this.may('operator')) {
      toggleListParam('selected', row.dataset.id, !this.selected.has(row.dataset.id));
    }
  }

  // Actions on several jobs

  async actOnSelection(verb, allows) {
    const jobs = this.page.value.jobs.filter((job) => this.selected.has(job.jobId) && allows(job.status));
    const confirmed = await confirm({
      title: `${verb === 'cancel' ? 'Cancel' : 'Retry'} ${plural(jobs.length, 'job')}?`,
      body: verb === 'cancel'
        ? html`<p>Waiting jobs are cancelled immediately. Running jobs are asked to stop, and stopped by force after their grace period.</p>`
        : html`<p>The jobs are queued again with all their attempts. Their earlier runs and completed steps are kept.</p>`,
      keep: verb === 'cancel' ? 'Don’t cancel' : undefined,
      act: `${verb === 'cancel' ? 'Cancel' : 'Retry'} ${plural(jobs.length, 'job')}`,
      kind: verb === 'cancel' ? 'is-danger' : 'is-main',
    });
    if (!confirmed) {
      return;
    }
    const queue = [...jobs];
    let done = 0;
    const problems = [];
    const next = async () => {
      for (let job = queue.shift(); job; job = queue.shift()) {
        try {
          await post(`/v1/jobs/${job.jobId}/${verb}`);
          done++;
        } catch (e) {
          problems.push(e.message);
        }
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, next));
    replaceQuery({ selected: '' });
    this.report(verb, done, problems);
  }

  report(verb, done, problems) {
    if (problems.length) {
      showMessage(`${verb === 'cancel' ? 'Cancelling' : 'Retrying'} failed for ${plural(problems.length, 'job')}: ${problems[0]}`, 'bad');
    }
    if (done || !problems.length) {
      showMessage(`${plural(done, 'job')} ${verb === 'cancel' ? 'cancelled or asked to stop' : 'queued again'}.`);
    }
    this.acted = true;
    this.page.refresh();
    this.counts.refresh();
  }

  async actOnAll(verb, statuses) {
    await this.counts.refresh();
    const count = this.counts.value;
    const sum = statuses.reduce((all, one) => all + (count?.counts[one] ?? 0), 0);
    if (sum === 0) {
      showMessage(`No matching job is ${anyOf(statuses.map(statusName))}.`, 'bad');
      return;
    }
    const many = `${count.exact ? '' : 'about '}${number(sum)}`;
    const confirmed = await confirm({
      title: `${verb === 'cancel' ? 'Cancel' : 'Retry'} ${many} ${sum === 1 ? 'job' : 'jobs'}?`,
      body: html`<p>Applies to matching jobs with the status ${anyOf(statuses.map(statusName))}.</p>
        <p>${verb === 'cancel' ? 'Waiting jobs are cancelled immediately; running jobs are asked to stop.' : 'The jobs are queued again with all their attempts.'}
        Jobs created from now on are not affected.</p>`,
      keep: verb === 'cancel' ? 'Don’t cancel' : undefined,
      act: `${verb === 'cancel' ? 'Cancel' : 'Retry'} ${many} ${sum === 1 ? 'job' : 'jobs'}`,
      kind: verb === 'cancel' ? 'is-danger' : 'is-main',
    });
    if (!confirmed) {
      return;
    }
    const body = this.filters.bulk(statuses, new Date(now()).toISOString());
    let done = 0;
    const problems = [];
    try {
      for (let more = true; more;) {
        const response = await post(`/v1/jobs/${verb}`, body);
        done += response.count;
        more = response.more;
        if (more) {
          showMessage(`${plural(done, 'job')} so far…`);
        }
      }
    } catch (e) {
      problems.push(e.message);
    }
    this.report(verb, done, problems);
  }

  // Rendering

  render() {
    return html`
      <div class="head"><h1>Jobs <span class="live is-${this.state}" role="status">${this.state === 'live' ? 'live' : `${this.state}…`}</span></h1>
        ${this.action('submitter', 'Start a job', () => open({ start: 'yes' }), { kind: 'is-main' })}</div>
      ${this.query.has('start') ? html`<start-job .session=${this.session} .chosen=${this.query.get('start')} @closed=${() => close('start')}></start-job>` : nothing}
      ${this.chips()}${this.fields()}${this.bulkBar()}
      ${this.page.error && !this.page.value ? failure(this.page.error) : this.table()}`;
  }

  chips() {
    const { counts, exact } = this.counts.value ?? {};
    const chosen = this.filters.statuses;
    return html`<div class="chips" role="group" aria-label="Status">
      ${STATUSES.map((status) => html`<button type="button" class="filter-chip is-${status}" aria-pressed=${chosen.includes(status)}
        @click=${() => this.toggleStatus(status)}><i aria-hidden="true"></i>${statusName(status)}
        <b>${counts ? this.count(counts[status], exact) : ' '}</b></button>`)}
      ${exact === false ? html`<span class="faint small" title="Counts of millions of jobs are estimated, because exact counts would be slow">
        ≈ estimated</span>` : nothing}
    </div>`;
  }

  count(n, exact) {
    return n === undefined ? '–' : `${exact || n === 0 ? '' : '≈'}${compact(n)}`;
  }

  fields() {
    const filters = this.filters;
    const names = this.names.value;
    const select = (name, label, options, all) => html`<label class="field"><span>${label}</span>
      <select @change=${(event) => this.go({ [name]: event.target.value })}>
        <option value="" .selected=${!filters.get(name)}>${all}</option>
        ${options.map(([value, text]) => html`<option value=${value} .selected=${filters.get(name) === value}>${text}</option>`)}
      </select></label>`;
    const withChosen = (all, name) => [...new Set([...(all ?? []), ...(filters.get(name) ? [filters.get(name)] : [])])]
      .map((one) => [one, one]);
    return html`<div class="filters">
      <form class="field is-wide" @submit=${this.search} role="search"><label for="job-search">Id, name or label=value</label>
        <input id="job-search" name="search" type="search" data-search .value=${filters.get('name')}
          placeholder="Press / to search" autocomplete="off" spellcheck="false"></form>
      ${select('definitionKey', 'Definition', withChosen(names?.definitions, 'definitionKey'), 'All definitions')}
      ${select('queue', 'Queue', withChosen(names?.queues, 'queue'), 'All queues')}
      <label class="field"><span>Correlation id</span><input type="text" .value=${filters.get('correlationId')} autocomplete="off"
        spellcheck="false" @change=${(event) => this.go({ correlationId: event.target.value.trim() })}></label>
      ${select('time', 'Time', Object.entries(TIME_NAMES), 'Created')}
      ${select('since', 'Range', Object.entries(RANGE_NAMES), 'Any time')}
      ${select('order', 'Order', [['oldest', 'Oldest first']], 'Newest first')}
      <a class="button is-quiet ${filters.any ? '' : 'is-absent'}" href="#/jobs">Clear</a>
      ${filters.get('since') === 'between' ? html`<div class="ends">${this.end('from', 'From', filters.after())}${this.end('to', 'Until', filters.before())}</div>` : nothing}
      ${filters.labels.length ? html`<div class="set">${filters.labels.map(([key, value]) => html`<a class="label" href="#/jobs?${filters.with({ [`label.${key}`]: '' })}"
        title="Remove ${key}=${value}" aria-label="Remove the label filter ${key}=${value}"><b>${key}</b>${value} ✕</a>`)}</div>` : nothing}
    </div>`;
  }

  end(name, label, at) {
    return html`<label class="field"><span>${label}</span><input type="datetime-local" name=${name} .value=${localTime(at)}
      @change=${(event) => this.go({ [name]: event.target.value ? new Date(event.target.value).toISOString() : '' })}></label>`;
  }

  bulkBar() {
    const jobs = (this.page.value?.jobs ?? []).filter((job) => this.selected.has(job.jobId));
    const cancellable = jobs.filter((job) => CANCELLABLE.includes(job.status)).length;
    const retryable = jobs.filter((job) => RETRYABLE.has(job.status)).length;
    const filters = this.filters;
    return html`<div class="bulk">
      ${jobs.length
        ? html`<b>${number(jobs.length)} selected</b>
          ${this.action('operator', `Cancel ${plural(cancellable, 'job')}`, () => this.actOnSelection('cancel', (one) => CANCELLABLE.includes(one)),
            { disabled: !cancellable, why: cancellable ? '' : 'None of the selected jobs can be cancelled.' })}
          ${this.action('operator', `Retry ${plural(retryable, 'job')}`, () => this.actOnSelection('retry', (one) => RETRYABLE.has(one)),
            { disabled: !retryable, why: retryable ? '' : 'Only failed and cancelled jobs can be retried.' })}
          <button type="button" class="button is-quiet" @click=${() => replaceQuery({ selected: '' })}>Clear selection</button>`
        : html`<span class="faint">${this.fresh.size
            ? html`<button type="button" class="button is-small is-main" @click=${this.showNew}>
                Show ${this.fresh.size < PAGE ? plural(this.fresh.size, 'new job') : `${PAGE}+ new jobs`}</button>`
            : this.may('operator') ? 'Select jobs to cancel or retry them' : nothing}</span>
          <span class="grow"></span>
          ${filters.any && this.may('operator') ? html`${this.bulkButton('retry', 'Retry', [...RETRYABLE])}${this.bulkButton('cancel', 'Cancel', CANCELLABLE)}` : nothing}`}
    </div>`;
  }

  /** Returns a button for all jobs that match the filter and whose status allows the action. It names their number. */
  bulkButton(verb, name, possible) {
    const chosen = this.filters.statuses;
    const statuses = chosen.length ? possible.filter((one) => chosen.includes(one)) : possible;
    const { counts, exact } = this.counts.value ?? {};
    const many = counts ? this.count(statuses.reduce((all, one) => all + (counts[one] ?? 0), 0), exact) : '';
    return this.action('operator', `${name} all${many === '' ? '' : ` ${many}`} matching…`, () => this.actOnAll(verb, statuses), { kind: 'is-quiet', disabled: !statuses.length || many === '0',
      why: statuses.length ? '' : `Only ${anyOf(possible.map(statusName))} jobs can be ${verb === 'cancel' ? 'cancelled' : 'retried'}; the filter shows ${anyOf(chosen.map(statusName))}.` });
  }

  table() {
    const page = this.page.value;
    if (!page) {
      return loading(12);
    }
    if (!page.jobs.length) {
      return this.filters.any
        ? html`<div class="empty"><h2>No jobs match this filter</h2><p><a href="#/jobs">Show all jobs</a></p></div>`
        : html`<no-jobs .session=${this.session}></no-jobs>`;
    }
    const all = page.jobs.every((job) => this.selected.has(job.jobId));
    return html`<div class="table-wrap"><table class="table jobs ${this.may('operator') ? '' : 'is-fixed'}" @keydown=${this.keyDown}>
      <thead><tr>
        <th class="check"><input type="checkbox" aria-label="Select all on this page" .checked=${all}
          @change=${(event) => replaceQuery({ selected: event.target.checked ? page.jobs.slice(0, MAX_SELECTED).map((job) => job.jobId).join(',') : '' })}></th>
        <th class="w-status">Status</th><th>Job</th><th class="w-queue">Queue</th><th class="w-detail">Progress or error</th>
        <th class="w-time">Created</th><th class="w-time num">Took</th></tr></thead>
      <tbody>${repeat(page.jobs, (job) => job.jobId, (job) => this.row(job))}</tbody></table></div>
      <div class="pages">
        ${this.query.get('cursor') ? html`<a class="button" href="#/jobs?${this.filters.with({})}">First page</a>` : nothing}
        ${page.nextCursor ? html`<a class="button" href="#/jobs?${this.filters.with({ cursor: page.nextCursor })}">Next page</a>` : nothing}
      </div>`;
  }

  row(job) {
    const selected = this.selected.has(job.jobId);
    return html`<tr data-id=${job.jobId} class="${selected ? 'is-selected' : ''} ${this.filters.matches(job) ? '' : 'is-past'}">
      <td class="check"><input type="checkbox" aria-label="Select ${shortId(job.jobId)}" .checked=${selected}
        @change=${(event) => toggleListParam('selected', job.jobId, event.target.checked)}></td>
      <td class="w-status">${chip(job.status)}</td>
      <td class="w-job"><a class="row-link" href="#/jobs/${job.jobId}" title=${job.name ?? job.definitionKey}><b>${job.name ?? job.definitionKey}</b>
        <span class="mono faint">${shortId(job.jobId)}</span></a>
        ${job.name || Object.keys(job.labels ?? {}).length ? html`<div class="more">${job.name ? html`<span class="faint small">${job.definitionKey}</span>` : nothing}${labels(job.labels, this.filters)}</div>` : nothing}</td>
      <td class="w-queue" title=${job.queue}><span class="clip">${job.queue}</span></td>
      <td class="w-detail">${detail(job)}</td>
      <td class="w-time">${time(job.createdAt)}</td>
      <td class="w-time num">${took(job)}</td></tr>`;
  }
}

/**
 * Returns the newer of two versions of a job. They are not merged, because a field that is missing in the newer one,
 * such as an error, was removed.
 */
function newer(shown, received) {
  return Date.parse(received.updatedAt) < Date.parse(shown.updatedAt) ? shown : received;
}

function detail(job) {
  if (job.status === 'running' || job.status === 'cancelling') {
    return html`<div class="progress"><progress max="100" value=${job.progress.percent} aria-label="Progress"></progress>
      <span class="clip faint">${job.progress.message ?? `${job.progress.percent}%`}</span></div>`;
  }
  if (job.error && job.status !== 'succeeded') {
    return html`<span class="clip bad" title=${job.error.message ?? ''}>${job.error.code}: ${job.error.message}</span>`;
  }
  if (job.status === 'scheduled' || job.status === 'retrying') {
    return html`<span class="faint">runs ${relative(job.runAt)}</span>`;
  }
  if (job.status === 'queued' || job.status === 'created') {
    return html`<span class="faint">${job.status === 'created' ? 'held until released' : `due ${relative(job.runAt)}`}</span>`;
  }
  return nothing;
}

function took(job) {
  if (!job.startedAt || (!ENDED.has(job.status) && job.status !== 'running' && job.status !== 'cancelling')) {
    return html`<span class="faint">–</span>`;
  }
  return duration(Math.max(0, between(job.startedAt, job.finishedAt)));
}

customElements.define('jobs-screen', JobsScreen);
