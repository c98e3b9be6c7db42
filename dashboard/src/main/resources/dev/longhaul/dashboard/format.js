// Formats of numbers, times and sizes.
import { now } from './api.js';

const count = new Intl.NumberFormat('en');
const compactCount = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

export const number = (value) => count.format(value);
export const compact = (value) => (value < 10_000 ? count.format(value) : compactCount.format(value));
export const fullTime = (time) => (time ? dateTime.format(new Date(time)) : '');
export const clockTime = (time) => clock.format(new Date(time));

/** Formats a time for datetime-local fields. */
export function localTime(time) {
  const at = new Date(time ?? NaN);
  return Number.isNaN(at.getTime()) ? '' : new Date(at - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** 12 ms, 4.2 s, 3 min 20 s, 2 h 5 min, 3 d 4 h. */
export function duration(seconds) {
  if (seconds === null || seconds === undefined || Number.isNaN(seconds)) {
    return '–';
  }
  const s = Math.abs(seconds);
  if (s < 1) {
    return `${Math.round(s * 1000)} ms`;
  }
  if (s < 60) {
    return `${s < 10 ? (Math.floor(s * 10) / 10).toFixed(1) : Math.floor(s)} s`;
  }
  if (s < 3600) {
    return pair(s, 60, 'min', 1, 's');
  }
  return s < 86_400 ? pair(s, 3600, 'h', 60, 'min') : pair(s, 86_400, 'd', 3600, 'h');
}

function pair(s, large, largeName, small, smallName) {
  const rest = Math.floor((s % large) / small);
  return `${Math.floor(s / large)} ${largeName}${rest ? ` ${rest} ${smallName}` : ''}`;
}

/**
 * Formats a rate per second, such as 120/s or 0.4/s; per minute or hour (3/min, 2/h) if the value would be below 0.1.
 */
export function rate(perSecond) {
  const [value, unit] = perSecond >= 0.1 || perSecond === 0 ? [perSecond, 's'] : perSecond * 60 >= 0.1 ? [perSecond * 60, 'min'] : [perSecond * 3600, 'h'];
  return `${value >= 10 || value === 0 ? Math.round(value) : Math.round(value * 10) / 10}/${unit}`;
}

export const between = (from, to) => (new Date(to ?? now()) - new Date(from)) / 1000;

/** Formats a time, such as "4 s ago" or "in 3 min"; as a date if it is more than 7 days away. */
export function relative(time) {
  if (!time) {
    return '–';
  }
  const seconds = between(time);
  if (Math.abs(seconds) > 7 * 86_400) {
    return day.format(new Date(time));
  }
  if (Math.abs(seconds) < 1) {
    return 'now';
  }
  const brief = duration(Math.round(Math.abs(seconds))).replace('.0 s', ' s');
  return seconds >= 0 ? `${brief} ago` : `in ${brief}`;
}

export function bytes(value) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let size = value;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}

/** Returns the end of an id. Ids begin with the time, so ids of jobs created at about the same time begin alike. */
export const shortId = (id) => id.slice(-8);

const disjunction = new Intl.ListFormat('en', { type: 'disjunction' });

/** Joins words with "or": "failed or cancelled". */
export const anyOf = (words) => disjunction.format(words);

export const plural = (n, one, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;
