// The page: panels, and the address that restores them.

import { ask } from './api.js';
import { setCatalogue } from './kernel_input.js';
import { el, failure } from './ui.js';
import { kernelPanel } from './kernel.js';
import { dataPanel } from './data.js';
import { fitPanel } from './fit.js';
import { comparePanel } from './compare.js';
import { viewPanel } from './view.js';

const PANELS = [
  ['kernel', 'Kernel', kernelPanel], ['data', 'Data', dataPanel], ['fit', 'Fit', fitPanel],
  ['compare', 'Compare', comparePanel], ['view', 'View', viewPanel],
];

// The state of all panels. `data` is common: the set and its columns.
export const state = { panel: 'kernel', data: {}, kernel: {}, fit: {}, compare: {}, view: {} };
export let start = { kernels: [], learners: [], data: [], opening: null };
const described = new Map();

export async function describe(id) {
  if (!described.has(id)) described.set(id, await ask('data/describe', { id }));
  return described.get(id);
}
export function remember(description) { described.set(description.id, description); }

// The choice of data as requests have it.
export function choice() {
  const d = state.data;
  if (!d.id) return null;
  return { id: d.id, target: d.target || null, inputs: d.inputs?.length ? d.inputs : null, scale: d.scale || 'none', missing: d.missing || 'error', task: d.task || 'auto' };
}

const LISTS = new Set(['inputs', 'x', 'y', 'parameters', 'lengthscales', 'penalties']);

function encode(part) {
  const out = {};
  for (const [name, value] of Object.entries(part)) {
    // What begins with _ is of the moment.
    if (name.startsWith('_') || value === null || value === undefined || value === '' || value === false) continue;
    out[name] = Array.isArray(value) ? value.map((v) => String(v).replaceAll('%', '%25').replaceAll(',', '%2C')).join(',') : typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
  return out;
}

function decode(name, text) {
  if (LISTS.has(name)) return text.split(',').filter(Boolean).map((v) => v.replaceAll('%2C', ',').replaceAll('%25', '%'));
  if (text.startsWith('{')) { try { return JSON.parse(text); } catch { return {}; } }
  return text === 'true' ? true : text;
}

// Writes the state of the panel that is open into the address.
export function save() {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(encode(state.data))) query.set('d.' + name, value);
  for (const [name, value] of Object.entries(encode(state[state.panel]))) if (state.panel !== 'data') query.set(name, value);
  const text = query.toString();
  history.replaceState(null, '', `#${state.panel}${text ? '?' + text : ''}`);
}

function restore() {
  const [panel, query = ''] = location.hash.slice(1).split(/\?(.*)/s);
  state.panel = PANELS.some(([name]) => name === panel) ? panel : 'kernel';
  const found = new URLSearchParams(query);
  if ([...found.keys()].length) {
    if ([...found.keys()].some((name) => name.startsWith('d.'))) state.data = {};
    state[state.panel] = state.panel === 'data' ? {} : {};
    for (const [name, text] of found) {
      if (name.startsWith('d.')) state.data[name.slice(2)] = decode(name.slice(2), text);
      else state[state.panel][name] = decode(name, text);
    }
  }
}

function tabs() {
  document.getElementById('tabs').replaceChildren(...PANELS.map(([name, title]) =>
    el('a', { href: '#' + name, 'aria-current': state.panel === name ? 'page' : null }, title)));
}

// A control by its label, so that a panel that is made anew keeps the focus where it was.
function nameOf(node) {
  if (!node || !node.closest?.('main')) return null;
  const label = node.getAttribute('aria-label') ?? (node.labels?.[0] ?? node).textContent;
  return label ? node.tagName + label.trim() : null;
}

let opened = 0;
async function open() {
  restore();
  tabs();
  const [, title, panel] = PANELS.find(([name]) => name === state.panel);
  document.title = `${title} · Mercer lab`;
  const main = document.getElementById('main'), mine = ++opened;
  try {
    const content = await panel();
    if (mine === opened) {
      const focused = nameOf(document.activeElement);
      main.replaceChildren(...[content].flat());
      if (focused) [...main.querySelectorAll('select, input, textarea, button')].find((node) => nameOf(node) === focused)?.focus();
    }
  } catch (error) {
    if (mine === opened) main.replaceChildren(failure(error));
  }
  main.dataset.panel = state.panel;
}

export function reopen() { save(); return open(); }

async function begin() {
  start = await ask('start');
  setCatalogue(start.kernels);
  if (start.opening && !location.hash.includes('d.id=')) {
    const set = await describe(start.opening);
    state.data = { id: set.id, target: set.target ?? '' };
    if (!location.hash) location.hash = '#data';
  }
  window.addEventListener('hashchange', open);
  await open();
  document.getElementById('main').dataset.ready = 'true';
}

begin().catch((error) => document.getElementById('main').replaceChildren(failure(error)));
