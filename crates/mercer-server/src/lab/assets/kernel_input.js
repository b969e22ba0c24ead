// The text of a kernel: completion from the catalogue, and the character at which it goes wrong.

import { el, newId } from './ui.js';

let catalogue = [];
export function setCatalogue(entries) { catalogue = entries; }

// What could stand at the cursor: kernels, or parameters of the function around it.
export function proposals(text, at) {
  const before = text.slice(0, at);
  const word = /[A-Za-z_0-9]*$/.exec(before)[0];
  if (/^[0-9]/.test(word)) return { word, list: [] };
  const list = [];
  const inside = enclosing(before.slice(0, before.length - word.length));
  const entry = inside && catalogue.find((e) => e.name === inside.name);
  const fresh = /[(,]\s*$/.test(before.slice(0, before.length - word.length));
  if (entry && fresh) {
    for (const p of entry.parameters) {
      if (p.name && p.name.startsWith(word) && !inside.text.includes(p.name + '=')) {
        list.push({ insert: p.name + '=', name: p.name + '=', note: `${p.meaning}; ${p.range}${p.default ? `, default ${p.default}` : ''}` });
      }
    }
  }
  const value = /=\s*$/.test(before.slice(0, before.length - word.length));
  const takesKernel = !entry || !fresh || entry.parameters.some((p) => !p.name);
  if (!value && takesKernel && (word || !before.trim() || /[+*(,]\s*$/.test(before))) {
    for (const e of catalogue) {
      if (e.name.startsWith(word) && (e.name !== word || text[at] !== '(')) list.push({ insert: e.name + '(', close: ')', name: e.name, note: e.formula });
    }
  }
  return { word, list: list.slice(0, 40) };
}

function enclosing(before) {
  let depth = 0;
  for (let i = before.length - 1; i >= 0; i--) {
    if (before[i] === ')' || before[i] === ']') depth++;
    else if (before[i] === '[' ) { if (depth === 0) return null; depth--; }
    else if (before[i] === '(') {
      if (depth === 0) return { name: /[A-Za-z_0-9]*$/.exec(before.slice(0, i))[0], text: before.slice(i) };
      depth--;
    }
  }
  return null;
}

export function kernelInput({ value, label, hint, onchange, placeholder = '' }) {
  const id = newId('kernel'), listId = id + '-list', faultId = id + '-fault';
  const area = el('textarea', {
    id, rows: 2, spellcheck: 'false', autocomplete: 'off', autocapitalize: 'off', role: 'combobox', 'aria-expanded': 'false',
    'aria-autocomplete': 'list', 'aria-controls': listId, 'aria-describedby': faultId, placeholder, value,
  });
  const list = el('ul', { id: listId, class: 'choices', role: 'listbox', 'aria-label': 'Completions', hidden: true });
  const fault = el('div', { id: faultId, 'aria-live': 'polite' });
  const box = el('div', { class: 'kernel-box' }, el('label', { for: id }, label), el('div', { class: 'kernel-input' }, area, list), fault, hint ? el('p', { class: 'hint' }, hint) : null);
  let found = { word: '', list: [] }, chosen = -1;

  const close = () => { list.hidden = true; chosen = -1; area.setAttribute('aria-expanded', 'false'); area.removeAttribute('aria-activedescendant'); };
  const mark = () => {
    [...list.children].forEach((node, i) => node.setAttribute('aria-selected', String(i === chosen)));
    const node = list.children[chosen];
    if (node) { area.setAttribute('aria-activedescendant', node.id); node.scrollIntoView({ block: 'nearest' }); } else area.removeAttribute('aria-activedescendant');
  };
  const offer = () => {
    found = proposals(area.value, area.selectionStart);
    if (!found.list.length || (!found.word && area.value.trim() === '')) return close();
    list.replaceChildren(...found.list.map((p, i) => el('li', { id: `${listId}-${i}`, role: 'option', 'aria-selected': 'false', onpointerdown: (e) => { e.preventDefault(); take(i); } },
      el('span', { class: 'mono' }, p.name), el('span', { class: 'soft small' }, p.note))));
    list.hidden = false; chosen = -1; mark();
    area.setAttribute('aria-expanded', 'true');
  };
  const take = (i) => {
    const p = found.list[i], at = area.selectionStart, start = at - found.word.length;
    const rest = area.value.slice(at), closing = p.close && !rest.startsWith('(') ? p.close : '';
    const insert = p.close && rest.startsWith('(') ? p.name : p.insert;
    area.value = area.value.slice(0, start) + insert + closing + rest;
    area.selectionStart = area.selectionEnd = start + insert.length;
    close();
    area.focus();
    changed();
  };
  const changed = () => onchange(area.value);
  area.addEventListener('input', () => { changed(); offer(); });
  area.addEventListener('blur', () => setTimeout(close, 100));
  area.addEventListener('keydown', (event) => {
    if (list.hidden) {
      if (event.key === ' ' && event.ctrlKey) { event.preventDefault(); offer(); }
      if (event.key === 'Enter') event.preventDefault();
      return;
    }
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      chosen = (chosen + (event.key === 'ArrowDown' ? 1 : -1) + found.list.length) % found.list.length;
      mark();
    } else if ((event.key === 'Enter' || event.key === 'Tab') && chosen >= 0) { event.preventDefault(); take(chosen);
    } else if (event.key === 'Enter') { event.preventDefault(); close();
    } else if (event.key === 'Escape') { event.preventDefault(); close(); }
  });
  return {
    box, area,
    get value() { return area.value; },
    set value(text) { area.value = text; },
    refuse(error) {
      area.setAttribute('aria-invalid', String(Boolean(error)));
      if (!error) { fault.replaceChildren(); return; }
      const text = [...area.value], at = error.position;
      const hintText = error.suggestion ? `; did you mean ${error.suggestion}?` : '';
      const place = at === null || at === undefined ? null : el('div', { class: 'mono' }, text.slice(0, at).join(''), el('mark', { 'data-position': at }, text[at] ?? ' end '), text.slice(at + 1).join(''));
      fault.replaceChildren(el('div', { class: 'at-fault' }, el('strong', {}, error.message + hintText), place));
    },
  };
}
