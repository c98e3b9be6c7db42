// Where the page is. All that a screen shows, has chosen or opened is in the address, so that reload, back and a link lead to the same sight.

/** Where the address points: #/jobs/ID?tab=runs */
export function place() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?', 2);
  return { path: path.split('/').map(plain), query: new URLSearchParams(query) };
}

/** The same place with some of it changed; what has no value goes. */
export function changed(changes) {
  const { path, query } = place();
  for (const [name, value] of Object.entries(changes)) {
    value ? query.set(name, value) : query.delete(name);
  }
  const text = query.toString().replaceAll('%2C', ',').replaceAll('%40', '@');
  return `#/${path.map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`;
}

/** What is ticked, searched for or unfolded: no step of the back button. */
export function note(changes) {
  history.replaceState(history.state, '', changed(changes));
  tell();
}

/** What opens: the back button closes it. Another one of its kind takes its place. */
export function open(changes) {
  const { query } = place();
  const [name] = Object.keys(changes);
  if (query.has(name)) {
    note(changes);
  } else {
    history.pushState({ opened: name }, '', changed(changes));
    tell();
  }
}

/** Closes what was opened under that name. */
export async function shut(name) {
  if (history.state?.opened === name) {
    await new Promise((done) => {
      addEventListener('popstate', done, { once: true });
      history.back();
    });
    tell();
  } else if (place().query.has(name)) {
    note({ [name]: '' });
  }
}

/** Goes on from a form that has done its work: back leads to where it was opened, not to the form. */
export function instead(hash) {
  location.replace(hash);
}

/** What a list in the address names. */
export const listed = (query, name) => query.get(name)?.split(',').filter(Boolean) ?? [];

/** Adds to such a list or takes away from it. */
export function tick(name, value, on) {
  const all = new Set(listed(place().query, name));
  on ? all.add(value) : all.delete(value);
  note({ [name]: [...all].join(',') });
}

function tell() {
  window.dispatchEvent(new CustomEvent('moved'));
}

function plain(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
