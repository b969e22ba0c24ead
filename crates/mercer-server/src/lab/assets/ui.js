// Elements, forms and small parts that the panels share.

export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked' || name === 'disabled') node[name] = value;
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

let counter = 0;
export const newId = (word) => `${word}-${++counter}`;

export function field(name, input, hint) {
  input.id ||= newId('field');
  const note = hint ? el('p', { class: 'hint', id: input.id + '-hint' }, hint) : null;
  if (note) input.setAttribute('aria-describedby', note.id);
  return el('div', {}, el('label', { for: input.id }, name), input, note);
}

export function select(options, value, onchange, attributes = {}) {
  const node = el('select', { ...attributes, onchange: () => onchange(node.value) });
  for (const option of options) {
    if (option.group) {
      node.append(el('optgroup', { label: option.group }, option.options.map((o) => choice(o, value))));
    } else node.append(choice(option, value));
  }
  return node;
}

function choice(option, value) {
  const [word, text] = Array.isArray(option) ? option : [option, option];
  const node = el('option', { value: word }, text);
  node.selected = word === value;
  return node;
}

export function checkbox(text, checked, onchange, hint) {
  const input = el('input', { type: 'checkbox', checked, id: newId('check'), onchange: () => onchange(input.checked) });
  return el('div', {}, el('label', { for: input.id }, input, text), hint ? el('p', { class: 'hint' }, hint) : null);
}

export function card(title, size, ...children) {
  const id = newId('card');
  return el('section', { class: `card ${size}`, 'aria-labelledby': id }, title ? el('h2', { id }, title) : null, ...children);
}

// A number as people read it.
export function shown(value, digits = 4) {
  if (value === null || value === undefined) return '—';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map((v) => shown(v, digits)).join(', ');
  if (typeof value !== 'number') return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) return value.toExponential(digits - 1).replace('e', ' e');
  return String(Number(value.toPrecision(digits)));
}

export function tiles(pairs) {
  return el('dl', { class: 'tiles' }, pairs.filter((pair) => pair && pair[1] !== null && pair[1] !== undefined)
    .map(([name, value]) => el('div', { class: 'tile' }, el('dt', {}, name), el('dd', {}, shown(value)))));
}

export function table(head, rows, caption, numeric = []) {
  const right = (j) => (numeric.includes(j) ? 'number' : null);
  return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    el('table', {}, el('thead', {}, el('tr', {}, head.map((text, j) => el('th', { scope: 'col', class: right(j) }, text)))),
      el('tbody', {}, rows.map((row) => el('tr', {}, row.map((cell, j) =>
        el('td', { class: right(j) ?? (String(cell).length > 30 ? 'long' : null) }, cell instanceof Node ? cell : shown(cell, 6))))))));
}

export function failure(error) {
  return el('p', { class: 'error', role: 'alert' }, error.message);
}

let hiding = null;
export function say(text) {
  const box = document.getElementById('message');
  box.textContent = text;
  box.classList.add('on');
  clearTimeout(hiding);
  hiding = setTimeout(() => box.classList.remove('on'), 2200);
}

export function download(name, text, type = 'text/plain') {
  const link = el('a', { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 2000);
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    say('Copied.');
  } catch {
    say('The browser does not allow copying here: select the text.');
  }
}

// The command and the code that do the same.
export function snippetBox(snippet) {
  const part = (name, word, text) => [
    el('div', { class: 'row' }, el('h3', {}, name),
      el('button', { class: 'fixed', type: 'button', 'data-copy': word, onclick: () => copy(text) }, `Copy as ${word}`)),
    el('pre', { tabindex: '0', 'data-snippet': word, 'aria-label': name }, text)];
  return card('The same outside of this page', 'wide snippet',
    part('Command line', 'command', snippet.command), part('Python', 'Python', snippet.python));
}

// `label` promises no more than the work keeps.
export function progressBox(stop, label = 'Stop') {
  const bar = el('progress', { 'aria-label': 'progress' });
  const text = el('p', { class: 'small soft', role: 'status' }, 'Starting …');
  const button = el('button', { type: 'button', disabled: true, onclick: () => { button.disabled = true; stop(); } }, label);
  const box = el('div', { class: 'progress' }, bar, text, button);
  return {
    box,
    allow: () => { button.disabled = false; },
    show: (state) => {
      if (state.total) { bar.max = state.total; bar.value = state.done; }
      const rest = state.remaining === null || state.remaining === undefined ? '' : `, about ${shown(Math.max(state.remaining, 0.1), 2)} s left`;
      text.textContent = `${state.work || 'working'}${state.total ? ` ${state.done} of ${state.total}` : ''}, ${shown(state.seconds, 2)} s${rest}${state.remark ? '. ' + state.remark : ''}`;
    },
  };
}
