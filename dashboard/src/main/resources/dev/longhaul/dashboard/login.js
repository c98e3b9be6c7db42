// Login: exchanges an API key for a session cookie that scripts cannot read.
import { html, nothing } from 'lit';
import { post } from './api.js';
import { CREATE_KEY, START_DEMO } from './commands.js';
import { Screen } from './parts.js';

class LoginScreen extends Screen {
  static properties = { reason: {}, error: { state: true }, busy: { state: true } };

  async submit(event) {
    event.preventDefault();
    const field = event.target.elements.key;
    this.busy = true;
    this.error = null;
    try {
      await post('/v1/session', { key: field.value.trim() });
      field.value = '';
      this.dispatchEvent(new CustomEvent('logged-in'));
    } catch (e) {
      this.error = e.status === 401 ? 'Unknown or revoked API key. Check it, or ask an admin for a new one.' : e.message;
      field.select();
    } finally {
      this.busy = false;
    }
  }

  render() {
    return html`<main class="login"><form @submit=${this.submit}>
      <h1>Longhaul</h1>
      ${this.reason ? html`<p role="status"><b>${this.reason}</b></p>` : nothing}
      <p class="faint">This server requires an API key. Its role decides what you can see and do.</p>
      <label for="key">API key</label>
      <input id="key" name="key" type="password" autocomplete="current-password" required autofocus spellcheck="false"
        placeholder="lh_…" aria-describedby="login-hint">
      ${this.error ? html`<p class="notice is-bad" role="alert">${this.error}</p>` : nothing}
      <button class="button is-main" ?disabled=${this.busy}>Log in</button>
      <p class="faint small" id="login-hint">No key yet? Create one on the server: <code>${CREATE_KEY}</code></p>
      <p class="faint small">Started with <code>${START_DEMO}</code>? Open the URL that it printed, or enter the content of
        <code>.longhaul/token</code>.</p>
    </form></main>`;
  }
}

customElements.define('login-screen', LoginScreen);
