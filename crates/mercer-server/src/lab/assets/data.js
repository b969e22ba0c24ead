// The panel of data: which set, which columns, what becomes of missing values.

import { ask } from './api.js';
import { describe, remember, reopen, save, start, state } from './app.js';
import { card, download, el, failure, field, say, select, shown, snippetBox, table } from './ui.js';
import { reportButton } from './report.js';

export function sets() {
  const group = (name, list) => (list.length ? { group: name, options: list.map((s) => [s.id, `${s.title}`]) } : null);
  const own = start.data.filter((s) => s.origin !== 'bundled');
  const bundled = start.data.filter((s) => s.origin === 'bundled');
  return [group('Yours', own), group('Bundled', bundled)].filter(Boolean);
}

export async function useSet(id) {
  const set = await describe(id);
  state.data = { id, target: set.target ?? '' };
  return set;
}

async function upload(file, box) {
  if (!file) return;
  box.replaceChildren(el('p', { role: 'status' }, `Reading ${file.name} …`));
  try {
    const url = await new Promise((ready, failed) => {
      const reader = new FileReader();
      reader.onload = () => ready(reader.result);
      reader.onerror = () => failed(new Error('the browser cannot read the file'));
      reader.readAsDataURL(file);
    });
    const set = await ask('data/upload', { name: file.name, base64: url.slice(url.indexOf(',') + 1) });
    remember(set);
    start.data = await ask('data/list');
    state.data = { id: set.id, target: set.target ?? '' };
    say(`${set.rows} rows of ${set.title} are here.`);
    await reopen();
  } catch (error) {
    box.replaceChildren(failure(error));
  }
}

export async function dataPanel() {
  const note = el('div', {});
  const input = el('input', { type: 'file', id: 'file', accept: '.csv,.tsv,.parquet,.fasta,.fa,.zip,.tar,.gz,.tgz,.npy,.libsvm,.svm', onchange: () => upload(input.files[0], note) });
  const drop = el('div', { class: 'drop' }, el('label', { for: 'file' }, 'Drop a file here, or choose one'), input,
    el('p', { class: 'hint' }, 'CSV, TSV, Parquet, FASTA, LIBSVM, NPY, or a zip or tar of a folder of graphs (TU format). It stays on this computer.'), note);
  drop.addEventListener('dragover', (event) => { event.preventDefault(); drop.classList.add('over'); });
  drop.addEventListener('dragleave', () => drop.classList.remove('over'));
  drop.addEventListener('drop', (event) => { event.preventDefault(); drop.classList.remove('over'); upload(event.dataTransfer.files[0], note); });
  const pick = select([['', 'Choose a set …'], ...sets()], state.data.id ?? '', async (id) => { if (id) { await useSet(id); reopen(); } });
  const panel = el('div', { class: 'grid' }, card('Choose data', 'wide no-report', el('div', { class: 'row' }, field('Data set', pick, 'Five kinds are bundled: numbers, classes, text, graphs, two samples.'), drop)));
  if (!state.data.id) { save(); return panel; }
  const set = await describe(state.data.id);
  panel.append(columns(set), rules(set), head(set), snippetBox(set.snippet));
  save();
  return panel;
}

function columns(set) {
  const d = state.data;
  const inputs = () => d.inputs ?? set.columns.map((c) => c.name).filter((n) => n !== d.target);
  const row = (c) => {
    const use = el('input', { type: 'checkbox', 'aria-label': `use ${c.name} as input`, checked: inputs().includes(c.name), disabled: c.name === d.target,
      onchange: () => {
        const names = set.columns.map((k) => k.name).filter((n) => (n === c.name ? use.checked : inputs().includes(n)) && n !== d.target);
        d.inputs = names.length === set.columns.filter((k) => k.name !== d.target).length ? null : names;
        save();
      } });
    const target = el('input', { type: 'radio', name: 'target', 'aria-label': `predict ${c.name}`, checked: c.name === d.target, onchange: () => { d.target = c.name; if (d.inputs) d.inputs = d.inputs.filter((n) => n !== c.name); reopen(); } });
    const values = c.numbers ? `${shown(c.numbers.min)} to ${shown(c.numbers.max)}, mean ${shown(c.numbers.mean)}, sd ${shown(c.numbers.sd)}`
      : c.levels.slice(0, 5).map(([n, k]) => `${n.length > 24 ? n.slice(0, 24) + '…' : n} (${k})`).join(', ');
    return [use, target, c.name, c.kind, c.missing ? el('strong', { class: 'no' }, String(c.missing)) : 0, c.distinct, values];
  };
  return card(`${set.title}: ${set.rows} rows, ${set.columns.length} columns`, 'wide',
    table(['input', 'target', 'column', 'type', 'missing', 'distinct', 'values'], set.columns.map(row), 'Columns', [4, 5]),
    el('p', { class: 'hint' }, 'The target is what fits predict and what orders and colors pictures; all other checked columns are inputs.'),
    el('div', { class: 'row' },
      el('button', { type: 'button', class: 'fixed', onclick: () => { d.target = ''; reopen(); } }, 'No target'),
      set.kind === 'graphs' ? null : el('button', { type: 'button', class: 'fixed', onclick: async () => { const f = await ask('data/export', { id: set.id }); download(f.file, f.csv, 'text/csv'); } }, 'Download as CSV'),
      reportButton(() => document.getElementById('main'), () => `Data: ${set.title}`)));
}

function rules() {
  const d = state.data;
  const set = (name) => (value) => { d[name] = value; save(); };
  return card('How columns become points', 'wide no-report', el('div', { class: 'row' },
    field('Scale of numbers', select([['none', 'as they are'], ['standard', 'mean 0, standard deviation 1'], ['unit', 'from 0 to 1']], d.scale ?? 'none', set('scale'))),
    field('Missing values', select([['error', 'are an error'], ['drop', 'drop the row'], ['mean', 'take the mean'], ['zero', 'take 0']], d.missing ?? 'error', set('missing'))),
    field('The target holds', select([['auto', 'classes if it is text, else numbers'], ['classes', 'classes'], ['numbers', 'numbers']], d.task ?? 'auto', set('task')))));
}

function head(set) {
  const numeric = set.columns.map((c, j) => (c.kind === 'numbers' ? j : -1)).filter((j) => j >= 0);
  const cut = (v) => (typeof v === 'string' && v.length > 90 ? v.slice(0, 90) + '…' : v);
  return card(`The first ${set.head.length} rows`, 'wide', table(set.columns.map((c) => c.name), set.head.map((row) => row.map(cut)), 'First rows', numeric));
}
