// What the list of jobs is filtered by. All of it lives in the address.
import { now, withQuery } from './api.js';

const RANGES = { '5m': 300, '1h': 3600, '6h': 21_600, '24h': 86_400, '7d': 604_800, '30d': 2_592_000 };
export const RANGE_NAMES = { '5m': 'Last 5 minutes', '1h': 'Last hour', '6h': 'Last 6 hours', '24h': 'Last 24 hours', '7d': 'Last 7 days', '30d': 'Last 30 days',
  between: 'Between…' };
/** What of the address is not about which jobs are listed. */
const BESIDE = ['selected', 'start'];
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

  /** label.KEY=VALUE pairs, as text. */
  get label() {
    for (const [name, value] of this.query) {
      if (name.startsWith('label.')) {
        return `${name.slice(6)}=${value}`;
      }
    }
    return '';
  }

  /** All that decides which jobs are listed, as text. */
  get text() {
    return [...this.query].filter(([name]) => !BESIDE.includes(name)).join('&');
  }

  get any() {
    return this.narrowed || this.statuses.length > 0;
  }

  /** Whether anything but the status is asked for. */
  get narrowed() {
    return this.label !== '' || [...PLAIN, 'since'].some((name) => this.get(name));
  }

  /** The same with some changed; a page further on makes no sense then. */
  with(changes) {
    const next = new URLSearchParams(this.query);
    ['cursor', ...BESIDE].forEach((name) => next.delete(name));
    for (const [name, value] of Object.entries(changes)) {
      if (name === 'label') {
        [...next.keys()].filter((key) => key.startsWith('label.')).forEach((key) => next.delete(key));
        const [key, ...rest] = value.split('=');
        if (key && rest.length) {
          next.set(`label.${key}`, rest.join('='));
        }
      } else if (value) {
        next.set(name, value);
      } else {
        next.delete(name);
      }
    }
    if (next.get('since') !== 'between') {
      next.delete('from');
      next.delete('to');
    }
    return next;
  }

  createdAfter() {
    const seconds = RANGES[this.get('since')];
    return seconds ? new Date(now() - seconds * 1000).toISOString() : this.#end('from');
  }

  createdBefore() {
    return this.#end('to');
  }

  /** One end of "between", if it is a time. */
  #end(name) {
    const at = this.get('since') === 'between' ? Date.parse(this.get(name)) : NaN;
    return Number.isNaN(at) ? undefined : new Date(at).toISOString();
  }

  /** What the API calls them. */
  params() {
    const params = {};
    for (const [name, value] of this.query) {
      if (PLAIN.includes(name) || name === 'status' || name === 'order' || name === 'cursor' || name.startsWith('label.')) {
        params[name] = value;
      }
    }
    const [createdAfter, createdBefore] = [this.createdAfter(), this.createdBefore()];
    return { ...params, ...(createdAfter ? { createdAfter } : {}), ...(createdBefore ? { createdBefore } : {}) };
  }

  /** The same as the body of a bulk call, for jobs that were there by then. */
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

  /** Whether a job that has just changed belongs to the list. */
  matches(job) {
    const [key, ...value] = this.label.split('=');
    const [after, before] = [this.createdAfter(), this.createdBefore()];
    return (!this.statuses.length || this.statuses.includes(job.status))
      && (!this.get('definitionKey') || job.definitionKey === this.get('definitionKey'))
      && (!this.get('queue') || job.queue === this.get('queue'))
      && (!this.get('correlationId') || job.correlationId === this.get('correlationId'))
      && (!this.get('name') || job.name?.startsWith(this.get('name')))
      && (!key || job.labels?.[key] === value.join('='))
      && (!after || job.createdAt >= after) && (!before || job.createdAt < before);
  }

  /** Where changes are told of; by status they are sorted out here, because a job that leaves one must be heard of too. */
  hints() {
    return withQuery('/v1/events', { definitionKey: this.get('definitionKey'), queue: this.get('queue') });
  }
}
