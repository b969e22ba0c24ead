// The panel of comparisons.

import { ask, runJob } from './api.js';
import { choice, describe, reopen, save, state } from './app.js';
import { kernelInput } from './kernel_input.js';
import { sets, useSet } from './data.js';
import { histogram, lines, scatter } from './plot.js';
import { card, download, el, failure, field, progressBox, select, shown, snippetBox, table, tiles } from './ui.js';
import { reportButton } from './report.js';

const MODES = [['files', 'two sets of data'], ['groups', 'two groups of one set'], ['independence', 'two sets of columns: are they independent?']];

export async function comparePanel() {
  const s = state.compare;
  s.mode ??= 'files';
  if (!state.data.id && s.mode === 'files') { await useSet('sensors_january'); s.second ??= 'sensors_june'; }
  const set = state.data.id ? await describe(state.data.id) : null;
  if (set && state.data.scale === undefined && !['graphs', 'text'].includes(set.kind)) state.data.scale = 'standard';
  const result = el('div', { class: 'card-holder' }), progress = el('div', {});
  const change = (name) => (value) => { s[name] = value; s.run = false; save(); };
  const changeMode = (value) => { state.compare = { mode: value, kernel: s.kernel }; reopen(); };
  const go = el('button', { type: 'submit', class: 'primary fixed', disabled: !set }, 'Test');
  const test = async () => {
    go.disabled = true;
    let stop = () => {};
    const meter = progressBox(() => stop(true));
    progress.replaceChildren(meter.box);
    try {
      const request = { mode: s.mode, data: choice(), second: s.second, by: s.by, group_a: s.group_a, group_b: s.group_b, x: s.x ?? [], y: s.y ?? [], kernel: s.kernel || 'auto', permutations: Number(s.permutations) || 999, level: Number(s.level) || 0.05 };
      if (s.mode !== 'independence') request.data.target = null;
      const { seconds, result: found } = await runJob('compare/start', request, meter.show, (f) => { stop = f; meter.allow(); });
      s.run = true;
      save();
      progress.replaceChildren(el('p', { class: 'small soft', role: 'status', 'data-done': true }, `Done after ${shown(seconds, 3)} s.`));
      show(result, found);
    } catch (error) { progress.replaceChildren(failure(error)); } finally { go.disabled = false; }
  };
  const number = (name, fallback, hint) => { const input = el('input', { type: 'number', step: 'any', value: s[name] ?? fallback, onchange: () => change(name)(input.value) }); return field(name[0].toUpperCase() + name.slice(1), input, hint); };
  const form = el('form', { onsubmit: (event) => { event.preventDefault(); test(); } },
    el('div', { class: 'row' }, field('Compare', select(MODES, s.mode, changeMode)),
      field(s.mode === 'files' ? 'First set' : 'Data', select([['', 'choose …'], ...sets()], state.data.id ?? '', async (id) => { if (id) { await useSet(id); state.compare = { mode: s.mode, second: s.second }; reopen(); } })),
      s.mode === 'files' ? field('Second set', select([['', 'choose …'], ...sets()], s.second ?? '', change('second'))) : null),
    set && s.mode === 'groups' ? groups(set, s, change) : null,
    set && s.mode === 'independence' ? columnSets(set, s, change) : null,
    kernelInput({ label: 'Kernel', value: s.kernel ?? '', placeholder: 'auto: the usual kernel of these points', onchange: change('kernel') }).box,
    el('div', { class: 'row' }, number('permutations', '999', 'Random relabelings'), number('level', '0.05', 'Level of the test'),
      field('Scale of numbers', select([['none', 'as they are'], ['standard', 'mean 0, standard deviation 1'], ['unit', 'from 0 to 1']], state.data.scale ?? 'none', (v) => { state.data.scale = v; save(); })),
      field('Missing values', select([['error', 'are an error'], ['drop', 'drop the row'], ['mean', 'take the mean'], ['zero', 'take 0']], state.data.missing ?? 'error', (v) => { state.data.missing = v; save(); }))),
    el('div', { class: 'row' }, go, reportButton(() => document.getElementById('main'), () => 'Comparison')));
  const panel = el('div', { class: 'grid' }, card('Compare', 'wide', form, progress), result);
  save();
  if (s.run && set) test();
  return panel;
}

function groups(set, s, change) {
  const able = set.columns.filter((c) => c.kind === 'categories' && c.levels.length > 1 && c.distinct <= 200);
  if (!able.length) return el('p', { class: 'error' }, 'This set has no column of groups: choose one with categories.');
  if (!able.some((c) => c.name === s.by)) s.by = able.some((c) => c.name === state.data.target) ? state.data.target : able[0].name;
  const column = able.find((c) => c.name === s.by), levels = column.levels.map(([n]) => n);
  if (!levels.includes(s.group_a)) s.group_a = levels[0];
  if (!levels.includes(s.group_b) || s.group_b === s.group_a) s.group_b = levels.find((l) => l !== s.group_a);
  const save1 = async (value) => {
    const all = await ask('data/column', { id: set.id, column: s.by, rows: Array.from({ length: set.rows }, (_, i) => i) });
    const rows = all.values.map((v, i) => [v, i]).filter(([v]) => v !== null && all.levels[v] === value).map(([, i]) => i);
    const file = await ask('data/export', { id: set.id, rows });
    const plain = (t) => t.replace(/[^\p{L}\p{N}_.-]/gu, '_');
    download(`${plain(s.by)}-${plain(value)}.csv`, file.csv, 'text/csv');
  };
  return el('div', { class: 'row' }, field('Groups by', select(able.map((c) => c.name), s.by, (v) => { state.compare = { ...s, by: v, group_a: null, group_b: null, run: false }; reopen(); })),
    field('First group', select(levels, s.group_a, change('group_a'))), field('Second group', select(levels, s.group_b, change('group_b'))),
    el('button', { type: 'button', class: 'fixed', onclick: () => save1(s.group_a) }, 'Save first as CSV'), el('button', { type: 'button', class: 'fixed', onclick: () => save1(s.group_b) }, 'Save second as CSV'));
}

function columnSets(set, s, change) {
  s.x ??= [set.columns[0].name];
  s.y ??= [state.data.target && state.data.target !== s.x[0] ? state.data.target : set.columns[set.columns.length - 1].name];
  const box = (name, title) => el('fieldset', {}, el('legend', {}, title), el('div', { class: 'checks' }, set.columns.map((c) => {
    const input = el('input', { type: 'checkbox', checked: s[name].includes(c.name), onchange: () => change(name)(set.columns.map((k) => k.name).filter((n) => (n === c.name ? input.checked : s[name].includes(n)))) });
    return el('label', {}, input, c.name);
  })));
  return el('div', { class: 'row' }, box('x', 'First set of columns'), box('y', 'Second set of columns'));
}

function show(box, r) {
  const o = r.outcome;
  const cards = [card('Result', 'wide',
    el('p', { class: `verdict ${o.reject ? 'no' : 'unknown'}`, 'data-verdict': o.reject ? 'rejected' : 'not rejected' }, `${o.reject ? 'Rejected' : 'Not rejected'} at level ${o.level}: ${r.hypothesis}.`),
    tiles([['p-value', o.p_value], ['statistic', o.statistic], ['effect (null standard deviations)', o.effect], ['rejected above', o.threshold], ['rows', r.sizes.join(' and ')]]),
    el('p', { class: 'small soft' }, `${o.method}; ${o.permutations} permutations${o.exact ? ', all of them' : `, seed ${o.seed}`}${o.p_interval ? `; the exact p-value is between ${shown(o.p_interval[0], 3)} and ${shown(o.p_interval[1], 3)} with 99 % confidence` : ''}. Kernel: `, el('code', {}, r.kernel)),
    r.remarks.map((text) => el('p', { class: 'small' }, text)))];
  if (o.null) cards.push(card('Null distribution', '', histogram({ ...o.null, mark: o.statistic, xLabel: 'statistic', yLabel: 'permutations', label: 'null distribution of the statistic', caption: 'The statistic of random relabelings, and of the data.' })));
  if (r.scatter) cards.push(card('The two variables', '', twoVariables(r.scatter)));
  if (Array.isArray(r.columns) && r.columns.length) {
    const sorted = [...r.columns].sort((a, b) => a.adjusted - b.adjusted || b.mmd - a.mmd);
    cards.push(card('Columns', '', table(['column', 'MMD²', 'p', 'p (Holm)', 'result'], sorted.map((c) => [c.name, c.mmd, c.p_value, c.adjusted, c.differs ? 'differs' : '']), 'Tests of every column', [1, 2, 3])));
    const [worst] = sorted;
    const holder = el('div', {});
    const draw = (c) => holder.replaceChildren(c.witness ? witness(c, r.names) : el('p', {}, 'All values are equal.'));
    draw(worst);
    cards.push(card('Witness: where they differ', 'wide', el('div', { class: 'no-report' }, field('Column', select(sorted.map((c) => c.name), worst.name, (name) => draw(sorted.find((c) => c.name === name))))), holder));
  }
  if (r.witness) cards.push(card('Rows that differ most', 'wide', table(['more like', 'sample', 'row', 'witness', 'values'], [...r.witness.highest.map((w) => [r.names[0], w.sample, w.row, w.value, w.text]), ...r.witness.lowest.map((w) => [r.names[1], w.sample, w.row, w.value, w.text])], 'Rows with the largest witness', [2, 3])));
  cards.push(snippetBox(r.snippet));
  box.replaceChildren(...cards);
}

function witness(c, names) {
  const w = c.witness;
  const floor = Math.min(...w.y), span = Math.max(...w.y) - floor || 1;
  const rug = { x: [...w.first, ...w.second], y: [...w.first.map(() => floor - 0.06 * span), ...w.second.map(() => floor - 0.12 * span)], colors: [...w.first.map(() => 0), ...w.second.map(() => 1)], size: 1.8 };
  return lines({ width: 900, height: 330, x: w.x, series: [{ values: w.y, color: 2 }], points: rug, horizontal: 0, xLabel: c.name, yLabel: 'witness', label: `witness function over ${c.name}`, caption: `Above 0 there is more of ${names[0]} (blue), below 0 more of ${names[1]} (orange); the points are below the curve.` });
}

function twoVariables({ x, y }) {
  const value = (v, i) => (v.levels ? v.values[i] : v.values[i]);
  const levels = (v) => (v.levels ? v.levels.map((t, i) => [i, t]) : undefined);
  const jitter = (v, i) => (v.levels ? value(v, i) + 0.25 * (((i * 7919) % 101) / 101 - 0.5) : value(v, i));
  return scatter({ x: x.values.map((_, i) => jitter(x, i)), y: y.values.map((_, i) => jitter(y, i)), xTicks: levels(x), yTicks: levels(y), marginLeft: y.levels ? 90 : undefined, xLabel: x.name, yLabel: y.levels ? '' : y.name, label: `${y.name} against ${x.name}`, colors: x.values.map(() => 0), size: 3, caption: x.levels || y.levels ? 'Categories are spread a little, so that points do not hide each other.' : '' });
}
