// Schedules: list, details with past and next fires, and the form to edit one.
import { html, nothing } from 'lit';
import { close, open, replaceAddress } from './address.js';
import { call, get, post, withQuery } from './api.js';
import { duration, fullTime, relative } from './format.js';
import { Poll } from './live.js';
import { Screen, attempt, checkJson, chip, confirm, copyButton, empty, facts, failure, jobLink, json, labels, loading, showMessage, statusName, time } from './parts.js';

const OVERLAPS = { allow: 'start another job', skip: 'skip this fire', queue_one: 'queue one job', cancel_previous: 'cancel the previous job' };

class SchedulesScreen extends Screen {
  constructor() {
    super();
    this.list = new Poll(this, (signal) => (this.key ? null : get(withQuery('/v1/schedules', { limit: 100, cursor: this.query.get('cursor') }), signal)), 5000);
    this.one = new Poll(this, (signal) => (this.key ? get(`/v1/schedules/${encodeURIComponent(this.key)}`, signal) : null), 5000);
    this.strips = new Poll(this, (signal) => this.loadStrips(signal), 15_000);
  }

  get key() {
    return this.path[1];
  }

  /** Loads the last results of the schedules on the page, with one request for each. */
  async loadStrips(signal) {
    const shown = (this.list.value?.schedules ?? []).slice(0, 30);
    const found = await Promise.all(shown.map((one) => get(`/v1/schedules/${encodeURIComponent(one.key)}/jobs?limit=12`, signal)));
    return new Map(shown.map((one, i) => [one.key, found[i].fires]));
  }

  willUpdate() {
    const shown = `${this.key} ${this.query.get('cursor')}`;
    if (this.shown && this.shown !== shown) {
      this.one.value = null;
      this.refresh();
    }
    this.shown = shown;
    // A copy of the data from when the form was opened, because polled data must not overwrite what the user types.
    this.editing = this.query.has('edit') ? this.editing ?? this.one.value : null;
  }

  updated() {
    if (this.list.value?.schedules.length && !this.strips.value?.size && !this.stripsRequested) {
      this.stripsRequested = true;
      this.strips.refresh();
    }
  }

  refresh() {
    this.list.refresh();
    this.one.refresh();
    this.strips.refresh();
  }

  async pause(schedule) {
    const values = await confirm({
      title: `Pause schedule ${schedule.name ?? schedule.key}?`,
      body: html`<p>The schedule does not fire until it is resumed. Jobs that it started continue.</p>
        <label class="field"><span>Note (shown to everyone)</span><input name="note" maxlength="500" autocomplete="off"></label>`,
      act: 'Pause schedule', kind: 'is-main',
    });
    if (values) {
      await attempt(() => post(`/v1/schedules/${encodeURIComponent(schedule.key)}/pause`, values.note ? { note: values.note } : {}), 'Schedule paused.');
      this.refresh();
    }
  }

  async resume(schedule) {
    await attempt(() => post(`/v1/schedules/${encodeURIComponent(schedule.key)}/resume`), 'Schedule resumed.');
    this.refresh();
  }

  async trigger(schedule) {
    const fire = await attempt(() => post(`/v1/schedules/${encodeURIComponent(schedule.key)}/trigger`));
    if (fire) {
      showMessage('Schedule triggered.', 'good', fire.jobId && { href: `#/jobs/${fire.jobId}`, text: 'View job' });
      this.refresh();
    }
  }

  async deleteSchedule(schedule) {
    if (await confirm({ title: `Delete schedule ${schedule.key}?`, body: html`<p>Its fire history is deleted. Its jobs are kept.</p>`, act: 'Delete schedule' })) {
      await attempt(() => call('DELETE', `/v1/schedules/${encodeURIComponent(schedule.key)}`), 'Schedule deleted.');
      replaceAddress('#/schedules');
    }
  }

  render() {
    return html`${this.editing || this.query.has('new') ? html`<edit-schedule .session=${this.session} .schedule=${this.editing}
      @closed=${() => { close(this.editing ? 'edit' : 'new'); this.refresh(); }}></edit-schedule>` : nothing}
      ${this.key ? this.page() : this.all()}`;
  }

  all() {
    const schedules = this.list.value?.schedules;
    return html`<div class="head"><h1>Schedules</h1>${this.action('operator', 'New schedule', () => open({ new: 'yes' }), { kind: 'is-main' })}</div>
      ${this.list.error && !schedules ? failure(this.list.error) : !schedules ? loading(6) : schedules.length ? this.table(schedules)
        : empty('No schedules yet', 'A schedule starts a job at set times, exactly once per fire. Create one with the button above.')}`;
  }

  table(schedules) {
    return html`<div class="table-wrap"><table class="table stack even"><thead><tr><th>Schedule</th><th>When</th><th>Next fire</th><th class="w-strip">Last results</th><th class="w-status">State</th><td class="w-end"></td></tr></thead>
      <tbody>${schedules.map((one) => html`<tr>
        <td title=${one.name ?? one.key}><a href="#/schedules/${encodeURIComponent(one.key)}"><b class="clamp">${one.name ?? one.key}</b></a> <span class="faint small clip" title=${one.definitionKey}>${one.definitionKey}</span></td>
        <td data-label="When">${one.description} <span class="faint small">${one.cron ? html`<code>${one.cron}</code> ${one.timeZone}` : nothing}</span></td>
        <td data-label="Next fire">${one.nextRunAt ? html`${time(one.nextRunAt)} <span class="faint small">${inZone(one.nextRunAt, one.timeZone)}</span>` : html`<span class="faint">${one.enabled ? 'No further runs' : 'Paused'}</span>`}</td>
        <td data-label="Last results">${strip(this.strips.value?.get(one.key))}</td>
        <td data-label="State">${state(one)}${one.warning ? html` <span class="small bad" title=${one.warning}>no worker</span>` : nothing}</td>
        <td class="end">${this.action('operator', 'Trigger', () => this.trigger(one), { kind: 'is-quiet' })}
          ${one.enabled ? this.action('operator', 'Pause', () => this.pause(one)) : this.action('operator', 'Resume', () => this.resume(one))}</td></tr>`)}</tbody></table></div>
      <div class="pages">${this.list.value.nextCursor ? html`<a class="button" href="#/schedules?cursor=${encodeURIComponent(this.list.value.nextCursor)}">Next page</a>` : nothing}</div>`;
  }

  page() {
    const one = this.one.value;
    if (!one) {
      return this.one.error ? html`<div class="empty"><h1>Schedule not available</h1><p>${this.one.error.message}</p>
        <p><a href="#/schedules">All schedules</a></p></div>` : loading(8);
    }
    return html`<nav class="crumbs" aria-label="Place"><a href="#/schedules">Schedules</a></nav>
      <div class="head"><h1>${one.name ?? one.key} ${state(one)}</h1><div class="actions">
        ${this.action('operator', 'Trigger now', () => this.trigger(one), { kind: 'is-main' })}
        ${one.enabled ? this.action('operator', 'Pause', () => this.pause(one)) : this.action('operator', 'Resume', () => this.resume(one))}
        ${this.action('operator', 'Edit', () => open({ edit: 'yes' }))}${this.action('operator', 'Delete', () => this.deleteSchedule(one), { kind: 'is-danger' })}</div></div>
      <p class="sub"><span class="mono">${one.key}</span> ${copyButton(one.key, 'Copy key')}</p>
      ${one.pause ? html`<div class="notice"><b>Paused</b> ${relative(one.pause.since)}${one.pause.by ? ` by ${one.pause.by}` : ''}${one.pause.note ? `: ${one.pause.note}` : ''}</div>` : nothing}
      ${one.warning ? html`<div class="notice"><b>Its jobs will not run.</b> ${one.warning}</div>` : nothing}
      <div class="split"><section class="panel" aria-label="Facts"><p class="lead">${one.description}</p>${facts([
        ['Definition', html`<a href="#/definitions?key=${encodeURIComponent(one.definitionKey)}">${one.definitionKey}@${one.definitionVersion}</a>`],
        ['Cron', one.cron ? html`<code>${one.cron}</code>` : undefined], ['Time zone', one.timeZone],
        ['Every', one.everySeconds ? duration(one.everySeconds) : undefined], ['Queue', one.queue],
        ['Overlap', OVERLAPS[one.overlap]], ['After downtime', `${one.catchUp.policy}, window ${duration(one.catchUp.windowSeconds)}`],
        ['Fires so far', one.runs], ['Max fires', one.maxRuns], ['Until', one.endAt ? fullTime(one.endAt) : undefined],
        ['Labels', Object.keys(one.labels ?? {}).length ? labels(one.labels) : undefined]])}
        ${one.params === undefined ? nothing : html`<h2 class="gap">Params</h2>${json(one.params)}`}</section>
      <section class="panel"><h2>Next fires</h2>${one.enabled ? fires(one.nextFires, one.timeZone) : html`<p class="faint">Paused</p>`}</section></div>
      <section aria-labelledby="history"><h2 id="history" class="gap">Last fires</h2>${one.lastFires.length ? html`<div class="table-wrap"><table class="table stack"><thead><tr><th>Fire time</th>
        <th>Cause</th><th>Outcome</th><th>Job</th></tr></thead><tbody>${one.lastFires.map((fire) => html`<tr><td data-label="Fire time">${time(fire.fireAt)} <span class="faint small">${inZone(fire.fireAt, one.timeZone)}</span></td>
        <td data-label="Cause" class="once">${fire.cause}</td><td data-label="Outcome" class="once">${fire.outcome}</td><td data-label="Job" class="once">${fire.job ? html`${chip(fire.job.status)} ${jobLink(fire.jobId)}` : fire.jobId ? html`<span class="faint">deleted</span>` : nothing}</td></tr>`)}</tbody></table></div>`
        : html`<p class="empty-line faint">No fires yet.</p>`}</section>`;
  }
}

const state = (one) => one.enabled ? html`<span class="chip is-succeeded"><i aria-hidden="true"></i>on</span>`
  : html`<span class="chip is-retrying" title=${one.pause?.note ?? nothing}><i aria-hidden="true"></i>paused</span>`;

const fires = (all, zone) => all.length ? html`<ol class="fires">${all.map((at) => html`<li><b>${relative(at)}</b> <span class="faint">${inZone(at, zone)}</span></li>`)}</ol>`
  : html`<p class="faint">No further runs</p>`;

/** Returns the last results, oldest first. Each links to its job. */
const strip = (all = []) => html`<span class="strip">${all.toReversed().map((fire) => fire.job
  ? html`<a class="is-${fire.job.status}" href="#/jobs/${fire.jobId}" title="${statusName(fire.job.status)}, ${fullTime(fire.fireAt)}" aria-label="${statusName(fire.job.status)}, ${fullTime(fire.fireAt)}"></a>`
  : nothing)}</span>`;

function inZone(at, zone) {
  const seconds = new Date(at).getUTCSeconds() ? { second: '2-digit' } : {};
  return `${new Date(at).toLocaleString(undefined, { weekday: 'short', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', ...seconds, hour12: false, timeZone: zone })}${zone ? ` ${zone}` : ''}`;
}

class EditSchedule extends Screen {
  static properties = { session: {}, schedule: { attribute: false }, definitions: { state: true }, preview: { state: true }, problem: { state: true }, saveProblem: { state: true },
    kind: { state: true } };

  async connectedCallback() {
    super.connectedCallback();
    this.kind = this.schedule?.everySeconds ? 'every' : 'cron';
    const found = await attempt(() => get('/v1/definitions'));
    // Includes the schedule's own definition even if no worker registers it any more, because saving must not change
    // it.
    this.definitions = [...new Set([...(found?.definitions ?? []).map((one) => one.definitionKey), ...(this.schedule ? [this.schedule.definitionKey] : [])])];
    await this.updateComplete;
    this.querySelector('dialog')?.showModal();
    this.loadPreview();
  }

  values() {
    return Object.fromEntries(new FormData(this.querySelector('form')));
  }

  times(values) {
    return this.kind === 'cron' ? { cron: values.cron.trim(), timeZone: values.timeZone || 'UTC' } : { everySeconds: Number(values.everySeconds) };
  }

  /** Loads the next fires of the entered times when the user pauses typing. */
  loadPreview() {
    clearTimeout(this.timer);
    this.saveProblem = null;
    this.timer = setTimeout(async () => {
      try {
        this.preview = await post('/v1/schedules/preview', { ...this.times(this.values()), count: 5 });
        this.problem = null;
      } catch (e) {
        this.preview = null;
        this.problem = e;
      }
    }, 250);
  }

  async submit(event) {
    event.preventDefault();
    this.saveProblem = null;
    const values = this.values();
    try {
      checkJson('Params', values.params || '{}');
      const request = { name: values.name || null, overlap: values.overlap, ...this.times(values) };
      if (!this.schedule) {
        request.key = values.key;
      }
      request.definitionKey = values.definitionKey;
      const body = `${JSON.stringify(request).slice(0, -1)},"params":${values.params || '{}'}}`;
      const saved = await (this.schedule ? call('PATCH', `/v1/schedules/${encodeURIComponent(this.schedule.key)}`, body) : call('POST', '/v1/schedules', body));
      showMessage('Schedule saved.');
      this.schedule ? this.querySelector('dialog').close() : replaceAddress(`#/schedules/${encodeURIComponent(saved.key)}`);
    } catch (e) {
      this.saveProblem = e;
    }
  }

  render() {
    if (!this.definitions) {
      return nothing;
    }
    const one = this.schedule ?? {};
    const zone = one.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
    return html`<dialog class="is-large" aria-labelledby="schedule-title" @close=${() => this.dispatchEvent(new CustomEvent('closed'))}>
      <form @submit=${this.submit} @input=${this.loadPreview}><h2 id="schedule-title">${this.schedule ? `Edit schedule ${one.key}` : 'New schedule'}</h2>
      <div class="dialog-body">
        <div class="options">${this.schedule ? nothing : html`<label class="field"><span>Key</span><input name="key" required autocomplete="off" spellcheck="false"></label>`}
        <label class="field"><span>Name</span><input name="name" .value=${one.name ?? ''} maxlength="200" autocomplete="off"></label>
        <label class="field"><span>Definition</span><select name="definitionKey">${this.definitions.map((key) => html`<option ?selected=${key === one.definitionKey}>${key}</option>`)}</select></label>
        <label class="field"><span>When</span><select @change=${(event) => { this.kind = event.target.value; this.updateComplete.then(() => this.loadPreview()); }}>
          <option value="cron" ?selected=${this.kind === 'cron'}>cron expression</option><option value="every" ?selected=${this.kind === 'every'}>fixed interval</option></select></label>
        ${this.kind === 'cron' ? html`<label class="field"><span>Cron (minute hour day month weekday)</span><input name="cron" class="mono" required .value=${one.cron ?? '0 3 * * *'} autocomplete="off" spellcheck="false"></label>
          <label class="field"><span>Time zone</span><input name="timeZone" list="zones" .value=${zone} autocomplete="off"><datalist id="zones">${Intl.supportedValuesOf('timeZone').map((name) => html`<option value=${name}></option>`)}</datalist></label>`
          : html`<label class="field"><span>Interval, seconds</span><input name="everySeconds" type="number" min="1" required .value=${String(one.everySeconds ?? 60)}></label>`}
        <label class="field"><span>If the previous job is still running</span><select name="overlap">${Object.entries(OVERLAPS).map(([value, text]) => html`<option value=${value} ?selected=${value === (one.overlap ?? 'allow')}>${text}</option>`)}</select></label></div>
        <label class="field"><span>Params (JSON)</span><textarea name="params" rows="3" class="mono" spellcheck="false" .value=${JSON.stringify(one.params ?? {}, null, 2)}></textarea></label>
        ${this.saveProblem && this.saveProblem.message !== this.problem?.message ? failure(this.saveProblem) : nothing}
        <section class="preview" aria-live="polite">${this.problem ? failure(this.problem) : this.preview ? html`<p><b>${this.preview.description}</b></p>${fires(this.preview.fires, this.kind === 'cron' ? this.values().timeZone || 'UTC' : undefined)}` : nothing}</section>
      </div>
      <div class="dialog-end"><button type="button" class="button" @click=${() => this.querySelector('dialog').close()}>Close</button><button class="button is-main">Save schedule</button></div></form></dialog>`;
  }
}

customElements.define('edit-schedule', EditSchedule);
customElements.define('schedules-screen', SchedulesScreen);
