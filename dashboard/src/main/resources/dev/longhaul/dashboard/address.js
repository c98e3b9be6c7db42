// The page's address. It contains all filters, selections and open dialogs, so that reload, back and links restore the
// same view.

/** Returns the parts of the address: #/jobs/ID?tab=runs */
export function route() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?', 2);
  return { path: path.split('/').map(decoded), query: new URLSearchParams(query) };
}

/** Returns the current address with some query parameters changed; an empty value removes the parameter. */
export function addressWith(changes) {
  const { path, query } = route();
  for (const [name, value] of Object.entries(changes)) {
    value ? query.set(name, value) : query.delete(name);
  }
  const text = query.toString().replaceAll('%2C', ',').replaceAll('%40', '@');
  return `#/${path.map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`;
}

/** Changes query parameters without adding a history entry, for selections, searches and unfolded parts. */
export function replaceQuery(changes) {
  history.replaceState(history.state, '', addressWith(changes));
  notifyRouteChanged();
}

/**
 * Opens a dialog or row and adds a history entry, so that the back button closes it. Replaces an open one of the same
 * name.
 */
export function open(changes) {
  const { query } = route();
  const [name] = Object.keys(changes);
  if (query.has(name)) {
    replaceQuery(changes);
  } else {
    history.pushState({ opened: name }, '', addressWith(changes));
    notifyRouteChanged();
  }
}

/** Closes the dialog or row of that name. */
export async function close(name) {
  if (history.state?.opened === name) {
    await new Promise((done) => {
      addEventListener('popstate', done, { once: true });
      history.back();
    });
    notifyRouteChanged();
  } else if (route().query.has(name)) {
    replaceQuery({ [name]: '' });
  }
}

/**
 * Goes from a submitted form to another address. Back then leads to the page where the form was opened, not to the
 * form.
 */
export function replaceAddress(hash) {
  location.replace(hash);
}

/** Returns the values of a comma-separated query parameter. */
export const listParam = (query, name) => query.get(name)?.split(',').filter(Boolean) ?? [];

/** Adds a value to a comma-separated query parameter, or removes it. */
export function toggleListParam(name, value, on) {
  const all = new Set(listParam(route().query, name));
  on ? all.add(value) : all.delete(value);
  replaceQuery({ [name]: [...all].join(',') });
}

function notifyRouteChanged() {
  window.dispatchEvent(new CustomEvent('route-changed'));
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
