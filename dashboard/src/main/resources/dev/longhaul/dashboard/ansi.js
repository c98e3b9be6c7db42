// Terminal colours: splits text with escape sequences into pieces with CSS classes. Removes all other control
// sequences.

// CSI and OSC sequences, and control characters except tab.
const SEQUENCE = /\x1b\[([0-9;:]*)([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-_]|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]/g;

const plain = () => ({ bold: false, dim: false, italic: false, underline: false, inverse: false, fg: null, bg: null });

/** Splits one line into pieces. `state` keeps the style from line to line. */
export function pieces(line, state) {
  const found = [];
  let from = 0;
  for (const match of line.matchAll(SEQUENCE)) {
    add(found, line.slice(from, match.index), state);
    from = match.index + match[0].length;
    if (match[2] === 'm') {
      style(match[1], state);
    }
  }
  add(found, line.slice(from), state);
  return found;
}

export const newState = () => ({ now: plain() });

function add(found, text, state) {
  if (text) {
    found.push({ text, classes: classes(state.now) });
  }
}

function classes(s) {
  const names = [];
  for (const flag of ['bold', 'dim', 'italic', 'underline']) {
    if (s[flag]) {
      names.push(`ansi-${flag}`);
    }
  }
  const [fg, bg] = s.inverse ? [s.bg ?? 'base', s.fg ?? 'text'] : [s.fg, s.bg];
  if (fg !== null) {
    names.push(`ansi-fg-${fg}`);
  }
  if (bg !== null) {
    names.push(`ansi-bg-${bg}`);
  }
  return names.join(' ');
}

function style(parameters, state) {
  const codes = parameters.split(/[;:]/).map((code) => Number(code || 0));
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i];
    if (code === 0) {
      state.now = plain();
    } else if (code === 38 || code === 48) {
      i = extended(codes, i, state.now, code === 38 ? 'fg' : 'bg');
    } else {
      simple(code, state.now);
    }
  }
}

function simple(code, s) {
  if (code === 1) s.bold = true;
  else if (code === 2) s.dim = true;
  else if (code === 3) s.italic = true;
  else if (code === 4) s.underline = true;
  else if (code === 7) s.inverse = true;
  else if (code === 22) s.bold = s.dim = false;
  else if (code === 23) s.italic = false;
  else if (code === 24) s.underline = false;
  else if (code === 27) s.inverse = false;
  else if (code >= 30 && code <= 37) s.fg = code - 30;
  else if (code === 39) s.fg = null;
  else if (code >= 40 && code <= 47) s.bg = code - 40;
  else if (code === 49) s.bg = null;
  else if (code >= 90 && code <= 97) s.fg = code - 82;
  else if (code >= 100 && code <= 107) s.bg = code - 92;
}

/** Maps 256 colours and true colour to the nearest of the 16 colours that both themes define. */
function extended(codes, i, s, ground) {
  if (codes[i + 1] === 5) {
    s[ground] = nearestOf256(codes[i + 2] ?? 0);
    return i + 2;
  }
  if (codes[i + 1] === 2) {
    s[ground] = nearest(codes[i + 2] ?? 0, codes[i + 3] ?? 0, codes[i + 4] ?? 0);
    return i + 4;
  }
  return codes.length;
}

function nearestOf256(n) {
  if (n < 16) {
    return n;
  }
  if (n >= 232) {
    const grey = 8 + (n - 232) * 10;
    return nearest(grey, grey, grey);
  }
  const level = (v) => (v === 0 ? 0 : 55 + v * 40);
  const cube = n - 16;
  return nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

function nearest(r, g, b) {
  const brightest = Math.max(r, g, b);
  if (brightest < 48) {
    return 0;
  }
  const on = (v) => (v > brightest / 2 ? 1 : 0);
  const hue = on(r) + 2 * on(g) + 4 * on(b);
  if (hue === 7 && brightest < 160) {
    return 8;
  }
  return hue + (brightest > 180 && hue !== 7 ? 8 : 0);
}
