// The page frame: session, navigation between screens, dialogs and messages.
import { html, nothing, LitElement } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { close, route } from './address.js';
import { call, onConnectionChange, session } from './api.js';
import { attempt, covers, showMessage } from './parts.js';
import './login.js';
import './jobs.js';
import './job.js';

/** Whether the page is part of an application, which logs users in and out. */
const LOGIN_OF_APPLICATION = document.documentElement.dataset.login === 'application';

/** The screens by the first part of their address. All screens but Jobs are loaded when they are first shown. */
const SCREENS = {
  '': { title: 'Overview', tag: 'overview-screen', key: 'o' },
  jobs: { title: 'Jobs', tag: 'jobs-screen', key: 'j' },
  queues: { title: 'Queues', tag: 'queues-screen', key: 'q' },
  schedules: { title: 'Schedules', tag: 'schedules-screen', key: 's' },
  workers: { title: 'Workers', tag: 'workers-screen', role: 'operator', key: 'w' },
  definitions: { title: 'Definitions', tag: 'definitions-screen', key: 'd' },
  webhooks: { title: 'Webhooks', tag: 'webhooks-screen', role: 'operator', key: 'h' },
  access: { title: LOGIN_OF_APPLICATION ? 'Audit' : 'Keys and audit', tag: 'access-screen', role: 'admin', key: 'k' },
};
const THEMES = ['auto', 'light', 'dark'];
const MESSAGE_MILLIS = 5000;
/** After going back: how long to wait until the page has enough content to restore its scroll position and focus. */
const RESTORE_MILLIS = 3000;

class LonghaulApp extends LitElement {
  static properties = {
    session: { state: true }, route: { state: true }, reachable: { state: true }, failing: { state: true }, login: { state: true },
    refusal: { state: true },
    messages: { state: true }, dialog: { state: true }, theme: { state: true },
  };

  constructor() {
    super();
    this.hash = location.hash;
    this.route = route();
    this.reachable = true;
    this.failing = null;
    this.login = null;
    this.refusal = null;
    this.messages = [];
    this.theme = localStorage.getItem('longhaul-theme') ?? 'auto';
    history.scrollRestoration = 'manual';
    this.scrollPositions = new Map();
    this.focusedLinks = new Map();
    window.navigation?.addEventListener('navigate', (event) => (this.traversed = event.navigationType === 'traverse'));
    // A reload closes confirmation dialogs, because a link must not lead straight to an action that cannot be undone.
    close('confirmation');
    ['route-changed', 'popstate', 'hashchange'].forEach((type) => addEventListener(type, () => this.routeChanged()));
    addEventListener('show-message', (event) => this.showMessage(event.detail));
    addEventListener('logged-in', () => this.loadSession());
    addEventListener('show-dialog', (event) => this.showDialog(event.detail));
    addEventListener('keydown', (event) => this.keyPressed(event));
    onConnectionChange((change) => {
      if (change.login) {
        this.login ??= this.session ? 'Your session has expired. Log in to continue.' : '';
        this.session = null;
      } else if (change.reachable === undefined) {
        this.failing = change.failing;
      } else {
        this.reachable = change.reachable;
        if (this.reachable && this.session) {
          showMessage('Connection to the server restored.');
        }
      }
    });
    this.loadSession();
  }

  createRenderRoot() {
    // Removes the placeholder that index.html shows until the scripts are loaded.
    this.replaceChildren();
    return this;
  }

  async loadSession() {
    try {
      this.session = await session();
      this.login = null;
      this.refusal = null;
    } catch (e) {
      this.refusal = e.status === 0 || e.status === 401 ? null : e;
      if (e.status !== 401 && e.status !== 403) {
        this.session ??= null;
        setTimeout(() => this.loadSession(), 2000);
      }
    }
  }

  async logOut() {
    if (await attempt(() => call('DELETE', '/v1/session')) !== undefined) {
      this.session = null;
      this.login = 'You are logged out.';
    }
  }

  routeChanged() {
    if (this.dialog && !this.isOpen(this.dialog)) {
      this.querySelector('#dialog')?.close();
    }
    if (history.state?.opened !== 'confirmation') {
      this.querySelector('#shortcuts[open]')?.close();
    }
    if (location.hash === this.hash) {
      return;
    }
    this.scrollPositions.set(this.hash, scrollY);
    this.focusedLinks.set(this.hash, document.activeElement?.getAttribute('href'));
    this.hash = location.hash;
    const before = this.route;
    this.route = route();
    if (before.path.join('/') !== this.route.path.join('/')) {
      scrollTo(0, 0);
      const main = this.updateComplete.then(() => this.querySelector('main')?.focus({ preventScroll: true }));
      if (this.traversed) {
        this.restoreScroll(this.scrollPositions.get(this.hash) ?? 0, performance.now() + RESTORE_MILLIS);
        main.then(() => this.restoreFocus(this.focusedLinks.get(this.hash), performance.now() + RESTORE_MILLIS));
      }
    }
  }

  /**
   * Focuses the link that the user had followed as soon as it is loaded, unless the user has moved the focus meanwhile.
   */
  restoreFocus(href, until) {
    const link = href && this.querySelector(`main a[href="${CSS.escape(href)}"]`);
    if (link) {
      link.focus({ preventScroll: true });
    } else if (href && performance.now() < until && document.activeElement?.matches('main, body')) {
      requestAnimationFrame(() => this.restoreFocus(href, until));
    }
  }

  /** Scrolls to the earlier position as soon as the page is long enough. */
  restoreScroll(position, until) {
    requestAnimationFrame(() => {
      scrollTo(0, position);
      if (scrollY < position - 1 && performance.now() < until) {
        this.restoreScroll(position, until);
      }
    });
  }

  showMessage(message) {
    const shown = { ...message };
    this.messages = [...this.messages, shown];
    setTimeout(() => (this.messages = this.messages.filter((one) => one !== shown)), MESSAGE_MILLIS * (message.kind === 'bad' ? 3 : 1));
  }

  /**
   * Shows a dialog. A form has a name, which is in the address. A confirmation only gets a history entry, so that back
   * closes it.
   */
  async showDialog(dialog) {
    this.dialog = dialog;
    await this.updateComplete;
    this.openModal('#dialog', dialog.name);
  }

  openModal(selector, name) {
    if (!name) {
      history.pushState({ opened: 'confirmation' }, '', location.hash);
    }
    this.querySelector(selector).showModal();
  }

  isOpen({ name }) {
    return name ? route().query.has(name) : history.state?.opened === 'confirmation';
  }

  async dialogClosed(event) {
    const element = event.currentTarget;
    const { dialog } = this;
    const values = element.returnValue === 'yes' ? Object.fromEntries(new FormData(element.querySelector('form'))) : null;
    element.returnValue = '';
    this.dialog = null;
    await close(dialog.name ?? 'confirmation');
    dialog.resolve(values);
  }

  keyPressed(event) {
    const typing = event.target.closest?.('input, textarea, select, dialog') || event.ctrlKey || event.metaKey || event.altKey;
    if (typing || !this.session) {
      return;
    }
    if (this.awaitsScreenKey) {
      this.awaitsScreenKey = false;
      const found = Object.entries(SCREENS).find(([, screen]) => screen.key === event.key);
      if (found) {
        location.hash = `#/${found[0]}`;
      }
    } else if (event.key === 'g') {
      this.awaitsScreenKey = true;
      setTimeout(() => (this.awaitsScreenKey = false), 1500);
    } else if (event.key === '/') {
      this.querySelector('[data-search]')?.focus();
      event.preventDefault();
    } else if (event.key === '?') {
      this.openModal('#shortcuts');
    } else if (event.key === 't') {
      this.nextTheme();
    } else if (event.key === 'ArrowDown' && !event.target.closest?.('tbody, [role=log], a, button')) {
      const first = this.querySelector('a.row-link');
      first?.focus();
      first && event.preventDefault();
    }
  }

  nextTheme() {
    this.theme = THEMES[(THEMES.indexOf(this.theme) + 1) % THEMES.length];
    if (this.theme === 'auto') {
      localStorage.removeItem('longhaul-theme');
      delete document.documentElement.dataset.theme;
    } else {
      localStorage.setItem('longhaul-theme', this.theme);
      document.documentElement.dataset.theme = this.theme;
    }
    window.dispatchEvent(new CustomEvent('theme'));
  }

  render() {
    if (this.login !== null && LOGIN_OF_APPLICATION) {
      return html`<main class="login"><form @submit=${() => location.reload()}><h1>Longhaul</h1>
        <p role="status">You are not logged in to this application, or your session has expired.</p>
        <button class="button is-main">Reload and log in</button></form></main>`;
    }
    if (this.login !== null) {
      return html`<login-screen .reason=${this.login} @logged-in=${() => this.loadSession()}></login-screen>${this.messageList()}`;
    }
    if (!this.session && this.refusal?.status === 403) {
      return this.refused();
    }
    if (!this.session) {
      const reason = this.reachable ? this.refusal?.message : 'The server is unavailable.';
      return html`<div class="bar"><span class="brand">${logo}<span>Longhaul</span></span></div>
        <div class="boot" aria-busy="true" role="status">${reason ? `${reason} Retrying…` : nothing}</div>`;
    }
    const name = this.route.path[0];
    const screen = SCREENS[name];
    document.title = `${this.route.path[1] ?? screen?.title ?? 'Not found'} · Longhaul`;
    return html`
      <a class="skip" href="#content" @click=${this.skip}>Skip to content</a>
      <header class="bar">
        <a class="brand" href="#/" aria-label="Longhaul, overview">${logo}<span>Longhaul</span></a>
        <nav aria-label="Screens">${Object.entries(SCREENS)
          .filter(([, one]) => !one.role || covers(this.session.role, one.role))
          .map(([path, one]) => html`<a href="#/${path}" aria-current=${path === name ? 'page' : nothing}>${one.title}</a>`)}</nav>
        <div class="bar-end">
          <span class="who" title="Logged in as ${this.session.name}, ${this.session.role}">${this.session.name}
            <span class="faint">${this.session.role}</span></span>
          <button type="button" class="button is-quiet" @click=${this.nextTheme} title="Theme: ${this.theme} (t)"
            aria-label="Theme: ${this.theme}">${this.theme === 'dark' ? '☾' : this.theme === 'light' ? '☀' : '◐'}</button>
          ${this.session.name === 'local' || LOGIN_OF_APPLICATION ? nothing
            : html`<button type="button" class="button is-quiet" @click=${this.logOut}>Log out</button>`}
        </div>
      </header>
      ${this.staleNotice()}
      <main id="content" tabindex="-1">${screen ? this.screen(screen) : html`<div class="empty"><h1>Page not found</h1>
        <p>No page has this address. <a href="#/">Open the overview</a></p></div>`}</main>
      ${this.messageList()}${this.dialogs()}`;
  }

  /** The page of a user without access: why, and what to do. */
  refused() {
    const todo = LOGIN_OF_APPLICATION
      ? 'Log in as another user of this application, or ask its administrator for a role of Longhaul. Then reload.'
      : 'Log in with a key of another role.';
    return html`<main class="login"><form @submit=${(event) => event.preventDefault()}><h1>No access to Longhaul</h1>
      <p role="alert">${this.refusal.message}</p><p>${todo}</p>
      ${LOGIN_OF_APPLICATION ? html`<button class="button is-main" @click=${() => location.reload()}>Reload</button>`
        : html`<button class="button is-main" @click=${this.logOut}>Log out</button>`}</form></main>`;
  }

  /** Warns that the data may be out of date. It overlays the page, so that no content moves. */
  staleNotice() {
    const error = this.reachable ? this.failing : 'The server is unavailable.';
    return error ? html`<div class="stale" role="status"><b>${error}</b> The data shown may be out of date; retrying.</div>` : nothing;
  }

  updated(changes) {
    if (changes.has('route') || changes.has('session')) {
      // On a phone the navigation is wider than the viewport, so the current entry may be hidden.
      this.querySelector('nav [aria-current=page]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
  }

  skip(event) {
    event.preventDefault();
    document.querySelector('main').focus();
  }

  screen(screen) {
    const { path, query } = this.route;
    if (!customElements.get(screen.tag)) {
      // The import map resolves a screen's tag to its file.
      import(screen.tag).then(() => this.requestUpdate());
      return nothing;
    }
    const session = this.session;
    switch (screen.tag) {
      case 'jobs-screen':
        // Each job gets its own element, so that data of one job never appears on the page of another job.
        return path[1]
          ? repeat([path], ([, id]) => id, () => html`<job-screen .path=${path} .query=${query} .session=${session}></job-screen>`)
          : html`<jobs-screen .path=${path} .query=${query} .session=${session}></jobs-screen>`;
      case 'queues-screen':
        return html`<queues-screen .path=${path} .query=${query} .session=${session}></queues-screen>`;
      case 'schedules-screen':
        return html`<schedules-screen .path=${path} .query=${query} .session=${session}></schedules-screen>`;
      case 'workers-screen':
        return html`<workers-screen .path=${path} .query=${query} .session=${session}></workers-screen>`;
      case 'definitions-screen':
        return html`<definitions-screen .path=${path} .query=${query} .session=${session}></definitions-screen>`;
      case 'webhooks-screen':
        return html`<webhooks-screen .path=${path} .query=${query} .session=${session}></webhooks-screen>`;
      case 'access-screen':
        return html`<access-screen .path=${path} .query=${query} .session=${session}></access-screen>`;
      default:
        return html`<overview-screen .path=${path} .query=${query} .session=${session}></overview-screen>`;
    }
  }

  messageList() {
    return html`<div class="messages" role="status" aria-live="polite">${this.messages.map((one) =>
      html`<div class="message is-${one.kind}">${one.text}${one.link ? html` <a href=${one.link.href}>${one.link.text}</a>` : nothing}</div>`)}</div>`;
  }

  dialogs() {
    const { dialog } = this;
    return html`
      <dialog id="dialog" aria-labelledby="dialog-title" @close=${this.dialogClosed}>${dialog ? html`<form method="dialog">
        <h2 id="dialog-title">${dialog.title}</h2>
        <div class="dialog-body">${dialog.body}</div>
        <div class="dialog-end">
          <button class="button" type="button" @click=${(event) => event.target.closest('dialog').close()}>${dialog.keep ?? 'Cancel'}</button>
          <button class="button ${dialog.kind}" type="submit" value="yes">${dialog.act}</button>
        </div></form>` : nothing}</dialog>
      <dialog id="shortcuts" aria-labelledby="shortcuts-title" @close=${() => close('confirmation')}><form method="dialog">
        <h2 id="shortcuts-title">Keyboard shortcuts</h2>
        <dl class="keys">
          ${Object.values(SCREENS).map((one) => html`<div><dt><kbd>g</kbd> <kbd>${one.key}</kbd></dt><dd>Open ${one.title}</dd></div>`)}
          <div><dt><kbd>/</kbd></dt><dd>Focus the search field</dd></div>
          <div><dt><kbd>↓</kbd> <kbd>↑</kbd></dt><dd>Go to the next or previous row</dd></div>
          <div><dt><kbd>Enter</kbd></dt><dd>Open the row</dd></div>
          <div><dt><kbd>x</kbd></dt><dd>Select the row</dd></div>
          <div><dt><kbd>t</kbd></dt><dd>Switch theme: light, dark, system</dd></div>
        </dl>
        <div class="dialog-end"><button class="button" type="submit">Close</button></div></form></dialog>`;
  }
}

const logo = html`<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path d="M3 17 9 7l4 6 3-4 5 8" fill="none"
  stroke="currentColor" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

customElements.define('longhaul-app', LonghaulApp);
