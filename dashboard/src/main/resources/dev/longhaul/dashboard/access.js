// API keys and the audit trail, for admins.
import { html, nothing } from 'lit';
import { call, get, post, withQuery } from './api.js';
import { Poll } from './live.js';
import { Screen, attempt, confirm, copyButton, empty, failure, jobLink, loading, time } from './parts.js';

/** Whether the page is part of an application, which has its own users and no API keys. */
const LOGIN_OF_APPLICATION = document.documentElement.dataset.login === 'application';
const ROLES = ['viewer', 'submitter', 'operator', 'admin', 'worker'];

class AccessScreen extends Screen {
  static properties = { ...Screen.properties, secret: { state: true } };

  constructor() {
    super();
    this.keys = new Poll(this, (signal) => (this.may('admin') && !LOGIN_OF_APPLICATION ? get('/v1/keys', signal) : null), 15_000);
    this.audit = new Poll(this, (signal) => (this.may('admin') ? get(withQuery('/v1/audit', { cursor: this.query.get('cursor') }), signal) : null), 15_000);
  }

  willUpdate(changes) {
    if (changes.has('query') && changes.get('query') !== undefined) {
      this.audit.refresh();
    }
  }

  async create(event) {
    event.preventDefault();
    const form = event.target;
    const { name, role } = Object.fromEntries(new FormData(form));
    const first = this.session.name === 'local';
    if (first && !(await confirm({
      title: 'Create the first key?',
      body: html`<p>From then on, every user must log in. You stay logged in with this key. Save its secret: it is shown only once.</p>`,
      act: `Create ${role} key`, kind: 'is-main',
    }))) {
      return;
    }
    const key = await attempt(() => post('/v1/keys', { name, role }));
    if (!key) {
      return;
    }
    if (first) {
      // From now on the server requires a key. Logs in with the new key, because the login form would hide its secret.
      await attempt(() => post('/v1/session', { key: key.secret }));
      window.dispatchEvent(new CustomEvent('logged-in'));
    }
    this.secret = key;
    form.reset();
    this.refresh();
  }

  async revoke(key) {
    if (await confirm({ title: `Revoke key ${key.name}?`, body: html`<p>Requests with this key are rejected from now on, and its sessions end.</p>`, act: 'Revoke key' })) {
      await attempt(() => call('DELETE', `/v1/keys/${key.id}`), `Key ${key.name} revoked.`);
      this.refresh();
    }
  }

  /** Returns the roles of a new key. The first key must have the role admin, which is needed to create more keys. */
  roles() {
    return this.session.name === 'local' ? ['admin'] : ROLES;
  }

  refresh() {
    this.keys.refresh();
    this.audit.refresh();
  }

  render() {
    if (!this.may('admin')) {
      return html`<div class="head"><h1>Keys and audit</h1></div><p class="notice">You need the admin role to view API keys. Your role is ${this.session.role}.</p>`;
    }
    if (LOGIN_OF_APPLICATION) {
      return html`<div class="head"><h1>Audit trail</h1></div>${this.auditTable()}`;
    }
    return html`<div class="head"><h1>Keys and audit</h1></div>
      ${this.secret ? html`<div class="notice" role="status"><b>The secret of ${this.secret.name}</b>, shown only once: <code id="secret">${this.secret.secret}</code>
        ${copyButton(this.secret.secret)}<button class="button is-quiet" type="button" @click=${() => (this.secret = null)}>Done, I saved it</button></div>` : nothing}
      <section aria-labelledby="keys-heading"><div class="head"><h2 id="keys-heading">API keys</h2>
        <form class="inline" @submit=${this.create}><input name="name" required placeholder="name, such as ci" aria-label="Name of the new key"
          pattern="[A-Za-z0-9][A-Za-z0-9._\\-]{0,99}" autocomplete="off"><select name="role" aria-label="Role of the new key">${this.roles().map((role) => html`<option>${role}</option>`)}</select>
          <button class="button is-main">Create key</button></form></div>${this.keysTable()}</section>
      <section class="later" aria-labelledby="audit-heading"><div class="head"><h2 id="audit-heading">Audit trail</h2></div>${this.auditTable()}</section>`;
  }

  keysTable() {
    const keys = this.keys.value?.keys;
    if (!keys) {
      return this.keys.error ? failure(this.keys.error) : loading(3);
    }
    if (!keys.length) {
      return empty('No keys', 'Until the first key is created, every user of this machine is admin, and other machines have no access.');
    }
    return html`<div class="table-wrap"><table class="table stack"><thead><tr><th>Name</th><th>Role</th><th>Created</th><th>Last used</th><td></td></tr></thead>
      <tbody>${keys.map((key) => html`<tr class=${key.revokedAt ? 'is-past' : ''}><td><b>${key.name}</b></td><td data-label="Role">${key.role}${key.queues ? html` <span class="faint">for ${key.queues.join(', ')}</span>` : nothing}</td>
      <td data-label="Created">${time(key.createdAt)} <span class="faint">${key.createdBy ? `by ${key.createdBy}` : ''}</span></td><td data-label="Last used" class="once">${time(key.lastUsedAt)}</td>
      <td class="end">${key.revokedAt ? html`<span class="faint">revoked ${time(key.revokedAt)}</span>`
        : this.action('admin', 'Revoke', () => this.revoke(key), { kind: 'is-quiet' })}</td></tr>`)}</tbody></table></div>`;
  }

  auditTable() {
    const page = this.audit.value;
    if (!page) {
      return this.audit.error ? failure(this.audit.error) : loading(6);
    }
    if (!page.entries.length) {
      return html`<p class="empty-line faint">No entries yet.</p>`;
    }
    return html`<div class="table-wrap"><table class="table stack"><thead><tr><th>Time</th><th>Actor</th><th>Action</th><th>Target</th><th>Details</th></tr></thead>
      <tbody>${page.entries.map((one) => html`<tr><td data-label="Time" class="once">${time(one.at)}</td><td data-label="Actor" title=${one.actorKeyId ?? nothing}>${one.actor}</td><td data-label="Action" class="once">${one.action}</td><td data-label="Target" class="mono small">${target(one)}</td>
      <td data-label="Details" class="small">${details(one.detail)}</td></tr>`)}</tbody></table></div>
      <div class="pages">${this.query.get('cursor') ? html`<a class="button" href="#/access">Newest</a>` : nothing}
      ${page.nextCursor ? html`<a class="button" href="#/access?cursor=${page.nextCursor}">Older</a>` : nothing}</div>`;
  }
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const target = (one) => (one.action.startsWith('job.') && ID.test(one.subject) ? jobLink(one.subject, one.subject) : one.subject);

/** Lists properties as "name: value", and changed fields as "name: before → after". */
function details(detail) {
  if (detail === undefined || detail === null || typeof detail !== 'object') {
    return detail === undefined || detail === null ? '' : String(detail);
  }
  const { changes, ...facts } = detail;
  const word = (value) => (value === undefined || value === null ? 'none' : typeof value === 'object' ? JSON.stringify(value) : String(value));
  const lines = [
    ...Object.entries(facts).map(([name, value]) => [name, word(value)]),
    ...Object.entries(changes ?? {}).map(([name, { from, to }]) => [name, `${word(from)} → ${word(to)}`]),
  ];
  return lines.map(([name, text]) => html`<div><span class="faint">${name}:</span> ${text}</div>`);
}

customElements.define('access-screen', AccessScreen);
