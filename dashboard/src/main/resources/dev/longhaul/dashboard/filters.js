// The filters of the job list, read from the address.
import { now, withQuery } from './api.js';

const RANGES = { '5m': 300, '1h': 3600, '6h': 21_600, '24h': 86_400, '7d': 604_800, '30d': 2_592_000 };
export const RANGE_NAMES = { '5m': 'Last 5 minutes', '1h': 'Last hour', '6h': 'Last 6 hours', '24h': 'Last 24 hours', '7d': 'Last 7 days', '30d': 'Last 30 days',
  between: 'Between…' };
/** Times of a job by which the range can filter, besides the creation time. */
export const TIME_NAMES = { finished: 'Finished' };
/** Query parameters that are not filters. */
const OTHER_PARAMS = ['selected', 'start'];
const PLAIN = ['definitionKey', 'queue', 'name', 'correlationId'];

export class Filters {
  constructor(query) {
    this.query = query;
  }

  get(name) {
    return this.query.get(name) ?? '';
  }

  get statuses() {
    return this.get('status') ? this.get('status').split(',') : [];
  }

  /** Returns the labels that a job must have, as [key, value]. */
  get labels() {
    return [...this.query].filter(([name]) => name.startsWith('label.')).map(([name, value]) => [name.slice(6), value]);
  }

  /** Returns the filter parameters of the address as text. */
  get text() {
    return [...this.query].filter(([name]) => !OTHER_PARAMS.includes(name)).join('&');
  }

  get any() {
    return this.narrowed || this.statuses.length > 0;
  }

  /** Returns whether a filter other than the status is set. */
  get narrowed() {
    return this.labels.length > 0 || [...PLAIN, 'since'].some((name) => this.get(name));
  }

  /** Returns the filters with some of them changed, on the first page. */
  with(changes) {
    const next = new URLSearchParams(this.query);
    ['cursor', ...OTHER_PARAMS].forEach((name) => next.delete(name));
    for (const [name, value] of Object.entries(changes)) {
      value ? next.set(name, value) : next.delete(name);
    }
    if (next.get('since') !== 'between') {
      next.delete('from');
      next.delete('to');
    }
    return next;
  }

  /** Returns the time of a job by which the range filters: created or finished. */
  get time() {
    return TIME_NAMES[this.get('time')] ? this.get('time') : 'created';
  }

  after() {
    const seconds = RANGES[this.get('since')];
    return seconds ? new Date(now() - seconds * 1000).toISOString() : this.#end('from');
  }

  before() {
    return this.#end('to');
  }

  /** Returns one end of a "between" range; undefined if it is missing or not a time. */
  #end(name) {
    const at = this.get('since') === 'between' ? Date.parse(this.get(name)) : NaN;
    return Number.isNaN(at) ? undefined : new Date(at).toISOString();
  }

  /** Returns the filters as parameters of the API. */
  params() {
    const params = {};
    for (const [name, value] of this.query) {
      if (PLAIN.includes(name) || name === 'status' || name === 'order' || name === 'cursor' || name.startsWith('label.')) {
        params[name] = value;
      }
    }
    const [after, before] = [this.after(), this.before()];
    return { ...params, ...(after ? { [`${this.time}After`]: after } : {}), ...(before ? { [`${this.time}Before`]: before } : {}) };
  }

  /** Returns the filters as the body of a bulk request, limited to jobs created before that time. */
  bulk(statuses, createdBefore) {
    const { order, cursor, status, ...rest } = this.params();
    const labels = {};
    for (const name of Object.keys(rest).filter((key) => key.startsWith('label.'))) {
      labels[name.slice(6)] = rest[name];
      delete rest[name];
    }
    return {
      ...rest, status: statuses.join(','), createdBefore: rest.createdBefore < createdBefore ? rest.createdBefore : createdBefore,
      ...(Object.keys(labels).length ? { labels } : {}),
    };
  }

  /** Returns whether a job matches the filters. */
  matches(job) {
    const [after, before] = [this.after(), this.before()];
    const at = this.time === 'finished' ? job.finishedAt ?? '' : job.createdAt;
    return (!this.statuses.length || this.statuses.includes(job.status))
      && (!this.get('definitionKey') || job.definitionKey === this.get('definitionKey'))
      && (!this.get('queue') || job.queue === this.get('queue'))
      && (!this.get('correlationId') || job.correlationId === this.get('correlationId'))
      && (!this.get('name') || job.name?.startsWith(this.get('name')))
      && this.labels.every(([key, value]) => job.labels?.[key] === value)
      && (!after || at >= after) && (!before || (at !== '' && at < before));
  }

  /**
   * Returns the address of the event stream. It has no status filter, because a job that no longer matches must still
   * update its row.
   */
  eventsAddress() {
    return withQuery('/v1/events', { definitionKey: this.get('definitionKey'), queue: this.get('queue') });
  }
}
