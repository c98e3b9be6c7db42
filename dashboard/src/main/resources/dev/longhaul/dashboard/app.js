// The frame: who is logged in, which screen the address names, what keeps the page in touch with the server.
import { html, nothing, LitElement } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { place, shut } from './address.js';
import { call, get, onAccess } from './api.js';
import { attempt, covers, say } from './parts.js';
import './login.js';
import './jobs.js';
import './job.js';

/** Each screen by the first part of its address. The others are loaded when they are first shown. */
const SCREENS = {
  '': { title: 'Overview', tag: 'overview-screen', key: 'o' },
  jobs: { title: 'Jobs', tag: 'jobs-screen', key: 'j' },
  queues: { title: 'Queues', tag: 'queues-screen', key: 'q' },
  schedules: { title: 'Schedules', tag: 'schedules-screen', key: 's' },
  workers: { title: 'Workers', tag: 'workers-screen', role: 'operator', key: 'w' },
  definitions: { title: 'Definitions', tag: 'definitions-screen', key: 'd' },
  webhooks: { title: 'Webhooks', tag: 'webhooks-screen', role: 'operator', key: 'h' },
  access: { title: 'Keys and audit', tag: 'access-screen', role: 'admin', key: 'k' },
};
const THEMES = ['auto', 'light', 'dark'];
const MESSAGE_MILLIS = 5000;
/** For how long a page that was left is waited for to be as long again. */
const LENGTH_MILLIS = 3000;

class LonghaulApp extends LitElement {
  static properties = {
    session: { state: true }, place: { state: true }, reachable: { state: true }, failing: { state: true }, login: { state: true },
    messages: { state: true }, question: { state: true }, keys: { state: true }, theme: { state: true },
  };

  constructor() {
    super();
    this.hash = location.hash;
    this.place = place();
    this.reachable = true;
    this.failing = null;
    this.login = null;
    this.messages = [];
    this.theme = localStorage.getItem('longhaul-theme') ?? 'auto';
    history.scrollRestoration = 'manual';
    this.depths = new Map();
    this.links = new Map();
    window.navigation?.addEventListener('navigate', (event) => (this.returns = event.navigationType === 'traverse'));
    // A question that was open is not asked again: nobody is to be led by a link to something that cannot be undone.
    shut('question');
    ['moved', 'popstate', 'hashchange'].forEach((how) => addEventListener(how, () => this.moved()));
    addEventListener('say', (event) => this.say(event.detail));
    addEventListener('entered', () => this.enter());
    addEventListener('ask', (event) => this.ask(event.detail));
    addEventListener('keydown', (event) => this.pressed(event));
    onAccess((news) => {
      if (news.login) {
        this.login ??= this.session ? 'Your session has expired. Log in to continue.' : '';
        this.session = null;
      } else if (news.reachable === undefined) {
        this.failing = news.failing;
      } else {
        this.reachable = news.reachable;
        if (this.reachable && this.session) {
          say('Connection to the server restored.');
        }
      }
    });
    this.enter();
  }

  createRenderRoot() {
    // What the page shows until its scripts are there.
    this.replaceChildren();
    return this;
  }

  async enter() {
    try {
      this.session = await get('/v1/session');
      this.login = null;
    } catch (e) {
      if (e.status !== 401) {
        this.session ??= null;
        setTimeout(() => this.enter(), 2000);
      }
    }
  }

  async leave() {
    if (await attempt(() => call('DELETE', '/v1/session')) !== undefined) {
      this.session = null;
      this.login = 'You are logged out.';
    }
  }

  moved() {
    if (this.question && !this.isAsked(this.question)) {
      this.querySelector('#question')?.close();
    }
    if (history.state?.opened !== 'question') {
      this.querySelector('#keys[open]')?.close();
    }
    if (location.hash === this.hash) {
      return;
    }
    this.depths.set(this.hash, scrollY);
    this.links.set(this.hash, document.activeElement?.getAttribute('href'));
    this.hash = location.hash;
    const before = this.place;
    this.place = place();
    if (before.path.join('/') !== this.place.path.join('/')) {
      scrollTo(0, 0);
      const main = this.updateComplete.then(() => this.querySelector('main')?.focus({ preventScroll: true }));
      if (this.returns) {
        this.dive(this.depths.get(this.hash) ?? 0, performance.now() + LENGTH_MILLIS);
        main.then(() => this.refocus(this.links.get(this.hash), performance.now() + LENGTH_MILLIS));
      }
    }
  }

  /** Back in a list, the focus returns to the link that was followed, as soon as it is loaded, unless it was moved meanwhile. */
  refocus(href, until) {
    const link = href && this.querySelector(`main a[href="${CSS.escape(href)}"]`);
    if (link) {
      link.focus({ preventScroll: true });
    } else if (href && performance.now() < until && document.activeElement?.matches('main, body')) {
      requestAnimationFrame(() => this.refocus(href, until));
    }
  }

  /** Scrolls to where the reader was, as soon as the page is as long again. */
  dive(depth, until) {
    requestAnimationFrame(() => {
      scrollTo(0, depth);
      if (scrollY < depth - 1 && performance.now() < until) {
        this.dive(depth, until);
      }
    });
  }

  say(message) {
    const shown = { ...message };
    this.messages = [...this.messages, shown];
    setTimeout(() => (this.messages = this.messages.filter((one) => one !== shown)), MESSAGE_MILLIS * (message.kind === 'bad' ? 3 : 1));
  }

  /** Forms are in the address under their name. A question is only a step of the back button, which takes it away again. */
  async ask(question) {
    this.question = question;
    await this.updateComplete;
    this.show('#question', question.name);
  }

  show(dialog, name) {
    if (!name) {
      history.pushState({ opened: 'question' }, '', location.hash);
    }
    this.querySelector(dialog).showModal();
  }

  isAsked({ name }) {
    return name ? place().query.has(name) : history.state?.opened === 'question';
  }

  async answered(event) {
    const dialog = event.currentTarget;
    const { question } = this;
    const answer = dialog.returnValue === 'yes' ? Object.fromEntries(new FormData(dialog.querySelector('form'))) : null;
    dialog.returnValue = '';
    this.question = null;
    await shut(question.name ?? 'question');
    question.resolve(answer);
  }

  pressed(event) {
    const typing = event.target.closest?.('input, textarea, select, dialog') || event.ctrlKey || event.metaKey || event.altKey;
    if (typing || !this.session) {
      return;
    }
    if (this.awaitsPlace) {
      this.awaitsPlace = false;
      const found = Object.entries(SCREENS).find(([, screen]) => screen.key === event.key);
      if (found) {
        location.hash = `#/${found[0]}`;
      }
    } else if (event.key === 'g') {
      this.awaitsPlace = true;
      setTimeout(() => (this.awaitsPlace = false), 1500);
    } else if (event.key === '/') {
      this.querySelector('[data-search]')?.focus();
      event.preventDefault();
    } else if (event.key === '?') {
      this.show('#keys');
    } else if (event.key === 't') {
      this.turn();
    } else if (event.key === 'ArrowDown' && !event.target.closest?.('tbody, [role=log], a, button')) {
      const first = this.querySelector('a.row-link');
      first?.focus();
      first && event.preventDefault();
    }
  }

  turn() {
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
    if (this.login !== null) {
      return html`<login-screen .reason=${this.login} @entered=${() => this.enter()}></login-screen>${this.news()}`;
    }
    if (!this.session) {
      return html`<div class="bar"><span class="brand">${mark}<span>Longhaul</span></span></div>
        <div class="boot" aria-busy="true">${this.reachable ? nothing : 'The server is unavailable; retrying…'}</div>`;
    }
    const name = this.place.path[0];
    const screen = SCREENS[name];
    document.title = `${this.place.path[1] ?? screen?.title ?? 'Not found'} · Longhaul`;
    return html`
      <a class="skip" href="#content" @click=${this.skip}>Skip to content</a>
      <header class="bar">
        <a class="brand" href="#/" aria-label="Longhaul, overview">${mark}<span>Longhaul</span></a>
        <nav aria-label="Screens">${Object.entries(SCREENS)
          .filter(([, one]) => !one.role || covers(this.session.role, one.role))
          .map(([path, one]) => html`<a href="#/${path}" aria-current=${path === name ? 'page' : nothing}>${one.title}</a>`)}</nav>
        <div class="bar-end">
          <span class="who" title="Logged in as ${this.session.name}, ${this.session.role}">${this.session.name}
            <span class="faint">${this.session.role}</span></span>
          <button type="button" class="button is-quiet" @click=${this.turn} title="Theme: ${this.theme} (t)"
            aria-label="Theme: ${this.theme}">${this.theme === 'dark' ? '☾' : this.theme === 'light' ? '☀' : '◐'}</button>
          ${this.session.name === 'local' ? nothing
            : html`<button type="button" class="button is-quiet" @click=${this.leave}>Log out</button>`}
        </div>
      </header>
      ${this.lost()}
      <main id="content" tabindex="-1">${screen ? this.screen(screen) : html`<div class="empty"><h1>Page not found</h1>
        <p>No page has this address. <a href="#/">Back to the overview</a></p></div>`}</main>
      ${this.news()}${this.dialogs()}`;
  }

  /** Says that what is shown may be old; it lies over the page, so that nothing moves. */
  lost() {
    const what = this.reachable ? this.failing : 'The server is unavailable.';
    return what ? html`<div class="lost" role="status"><b>${what}</b> The data shown may be out of date; retrying.</div>` : nothing;
  }

  updated(changes) {
    if (changes.has('place') || changes.has('session')) {
      // On a phone the screens' names are wider than the screen.
      this.querySelector('nav [aria-current=page]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
  }

  skip(event) {
    event.preventDefault();
    document.querySelector('main').focus();
  }

  screen(screen) {
    const { path, query } = this.place;
    if (!customElements.get(screen.tag)) {
      // The import map knows each screen's file by its tag.
      import(screen.tag).then(() => this.requestUpdate());
      return nothing;
    }
    const session = this.session;
    switch (screen.tag) {
      case 'jobs-screen':
        // Each job has an element of its own: nothing of one is ever shown with another.
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

  news() {
    return html`<div class="messages" role="status" aria-live="polite">${this.messages.map((one) =>
      html`<div class="message is-${one.kind}">${one.text}${one.link ? html` <a href=${one.link.href}>${one.link.text}</a>` : nothing}</div>`)}</div>`;
  }

  dialogs() {
    const question = this.question;
    return html`
      <dialog id="question" aria-labelledby="question-title" @close=${this.answered}>${question ? html`<form method="dialog">
        <h2 id="question-title">${question.title}</h2>
        <div class="dialog-body">${question.body}</div>
        <div class="dialog-end">
          <button class="button" type="button" @click=${(event) => event.target.closest('dialog').close()}>${question.keep ?? 'Cancel'}</button>
          <button class="button ${question.kind}" type="submit" value="yes">${question.act}</button>
        </div></form>` : nothing}</dialog>
      <dialog id="keys" aria-labelledby="keys-title" @close=${() => shut('question')}><form method="dialog">
        <h2 id="keys-title">Keyboard shortcuts</h2>
        <dl class="keys">
          ${Object.values(SCREENS).map((one) => html`<div><dt><kbd>g</kbd> <kbd>${one.key}</kbd></dt><dd>${one.title}</dd></div>`)}
          <div><dt><kbd>/</kbd></dt><dd>Search or filter</dd></div>
          <div><dt><kbd>↓</kbd> <kbd>↑</kbd></dt><dd>Next and previous row</dd></div>
          <div><dt><kbd>Enter</kbd></dt><dd>Open the row</dd></div>
          <div><dt><kbd>x</kbd></dt><dd>Select the row</dd></div>
          <div><dt><kbd>t</kbd></dt><dd>Light, dark or system theme</dd></div>
        </dl>
        <div class="dialog-end"><button class="button" type="submit">Close</button></div></form></dialog>`;
  }
}

const mark = html`<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true"><path d="M3 17 9 7l4 6 3-4 5 8" fill="none"
  stroke="currentColor" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

customElements.define('longhaul-app', LonghaulApp);
