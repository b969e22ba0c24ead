// The panel of views: points on principal components, clusters, and a lasso.

import { ask, runJob } from './api.js';
import { choice, describe, reopen, save, state } from './app.js';
import { kernelInput } from './kernel_input.js';
import { sets, useSet } from './data.js';
import { color, extent, figure, frame, legendOf, lines, rgb, scaleOf, svg, walk } from './plot.js';
import { card, download, el, failure, field, progressBox, say, select, shown, snippetBox, table, tiles } from './ui.js';
import { reportButton } from './report.js';

const METHODS = [['pca', 'principal components'], ['kmeans', 'clusters around means'], ['spectral', 'clusters by eigenvectors']];

export async function viewPanel() {
  const s = state.view;
  if (!state.data.id) await useSet('iris');
  const set = await describe(state.data.id);
  if (state.data.scale === undefined && !['graphs', 'text'].includes(set.kind)) state.data.scale = 'standard';
  if (state.data.missing === undefined && set.columns.some((c) => c.missing)) state.data.missing = 'drop';
  const result = el('div', { class: 'card-holder' }), progress = el('div', {});
  const change = (name) => (value) => { s[name] = value; s.run = false; save(); };
  const go = el('button', { type: 'submit', class: 'primary fixed' }, 'Look');
  const look = async () => {
    go.disabled = true;
    let stop = () => {};
    const meter = progressBox(() => stop(true));
    progress.replaceChildren(meter.box);
    try {
      const request = { data: choice(), kernel: s.kernel || 'auto', method: s.method || 'pca', clusters: Number(s.clusters) || null };
      const { seconds, result: found } = await runJob('view/start', request, meter.show, (f) => { stop = f; meter.allow(); });
      s.run = true;
      save();
      progress.replaceChildren(el('p', { class: 'small soft', role: 'status', 'data-done': true }, `Done after ${shown(seconds, 3)} s.`));
      await show(result, found, set, s);
    } catch (error) { progress.replaceChildren(failure(error)); } finally { go.disabled = false; }
  };
  const clusters = el('input', { type: 'number', min: 1, max: 50, value: s.clusters ?? '', placeholder: 'chosen', onchange: () => change('clusters')(clusters.value) });
  const form = el('form', { onsubmit: (event) => { event.preventDefault(); look(); } },
    el('div', { class: 'row' }, field('Data', select(sets(), state.data.id, async (id) => { await useSet(id); state.view = { method: s.method }; reopen(); })),
      field('Look for', select(METHODS, s.method ?? 'pca', (v) => { change('method')(v); reopen(); })),
      s.method && s.method !== 'pca' ? field('Clusters', clusters, 'Empty: chosen from the data') : null,
      field('Scale of numbers', select([['none', 'as they are'], ['standard', 'mean 0, standard deviation 1'], ['unit', 'from 0 to 1']], state.data.scale ?? 'none', (v) => { state.data.scale = v; save(); }))),
    kernelInput({ label: 'Kernel', value: s.kernel ?? '', placeholder: 'auto: the usual kernel of these points', onchange: change('kernel') }).box,
    el('div', { class: 'row' }, go, reportButton(() => document.getElementById('main'), () => `View of ${set.title}`)));
  const panel = el('div', { class: 'grid' }, card('View', 'wide', form, progress), result);
  save();
  if (s.run) look();
  return panel;
}

async function show(box, r, set, s) {
  const plot = el('div', {}), chosen = el('div', { 'data-chosen': true, 'aria-live': 'polite' });
  // The address keeps the chosen rows.
  const wanted = rowsOf(s.rows);
  let selected = r.rows.map((row, i) => (wanted.has(row) ? i : -1)).filter((i) => i >= 0);
  let cursor = -1;
  const choose = (rows, at = -1) => { cursor = at; selected = rows; s.rows = ranges(rows.map((i) => r.rows[i])); save(); pick(); draw(); };
  const colorOptions = [...(r.clusters ? [['#cluster', 'cluster']] : []), ['', 'one color'], ...set.columns.filter((c) => ['numbers', 'categories'].includes(c.kind)).map((c) => c.name)];
  s.color ??= r.clusters ? '#cluster' : state.data.target || '';
  if (!colorOptions.some((o) => (Array.isArray(o) ? o[0] : o) === s.color)) s.color = '';
  const axes = r.scores.map((_, i) => [String(i), `component ${i + 1} (${shown(100 * r.explained[i], 3)} %)`]);
  const draw = async () => {
    const paint = await colors(r, set, s.color);
    const [a, b] = [Number(s.across) || 0, Math.min(s.upward === undefined ? 1 : Number(s.upward), r.scores.length - 1)];
    const keys = plot.contains(document.activeElement);
    plot.replaceChildren(lasso(r, [a, b], paint, selected, choose, cursor), paint.legend ?? '');
    if (keys) plot.querySelector('svg.lasso').focus();
  };
  const pick = async () => {
    if (!selected.length) { chosen.replaceChildren(el('p', { class: 'soft' }, 'Draw around points to list them, or choose a group below.')); return; }
    const rows = selected.map((i) => r.rows[i]);
    const found = await ask('data/export', { id: set.id, rows });
    const numeric = set.columns.map((c, j) => (c.kind === 'numbers' ? j + 1 : -1)).filter((j) => j > 0);
    chosen.replaceChildren(el('p', {}, `${rows.length} rows chosen${rows.length > found.cells.length ? `; the first ${found.cells.length} are listed` : ''}.`),
      el('div', { class: 'row' }, el('button', { type: 'button', class: 'fixed', 'data-export': true, onclick: () => { download('chosen-' + found.file, found.csv, 'text/csv'); say(`${rows.length} rows are saved.`); } }, 'Export as CSV'),
        el('button', { type: 'button', class: 'fixed', onclick: () => choose([]) }, 'Choose none')),
      table(['row', ...found.names], found.cells.map((cells, i) => [rows[i], ...cells.map((v) => (typeof v === 'string' && v.length > 80 ? v.slice(0, 80) + '…' : v))]), 'Chosen rows', [0, ...numeric]));
  };
  const set1 = (name) => (v) => { s[name] = v; save(); draw(); };
  const groupBox = el('div', {});
  const groupsOf = async () => {
    const paint = await colors(r, set, s.color);
    groupBox.replaceChildren(paint.levels ? field('Choose a group', select([['', 'none'], ...paint.levels.map((name, i) => [String(i), name])], '', (v) => { choose(v === '' ? [] : paint.index.map((c, i) => (c === Number(v) ? i : -1)).filter((i) => i >= 0)); })) : '');
  };
  box.replaceChildren(
    card(r.clusters ? 'Clusters on principal components' : 'Principal components', 'two-thirds',
      el('div', { class: 'row no-report' }, field('Across', select(axes, s.across ?? '0', set1('across'))), field('Upward', select(axes, s.upward ?? (axes.length > 1 ? '1' : '0'), set1('upward'))), field('Color', select(colorOptions, s.color, (v) => { set1('color')(v); groupsOf(); }))),
      plot, el('p', { class: 'hint' }, 'Drag to draw a lasso around points; point at one to read it. With the keyboard: arrow keys go from point to point, Space chooses.')),
    card('How much each component holds', 'third', tiles([['rows', r.rows.length], ['clusters', r.clusters?.chosen ?? null], ['in 2 components', `${shown(100 * (r.explained[0] + (r.explained[1] ?? 0)), 3)} %`]]),
      lines({ width: 380, height: 260, x: r.eigenvalues.map((_, i) => i + 1), series: [{ values: r.eigenvalues }], xLabel: 'component', yLabel: 'eigenvalue', label: 'eigenvalues', xTicks: r.eigenvalues.map((_, i) => [i + 1, String(i + 1)]) }),
      el('p', { class: 'small' }, 'Kernel: ', el('code', {}, r.kernel)), r.remarks.map((t) => el('p', { class: 'small' }, t)),
      r.facts.length ? el('details', {}, el('summary', {}, 'Facts of the clustering'), table(['fact', 'value'], r.facts.map((f) => [f.name, shown(f.value, 5)]), 'Facts')) : null),
    card('Chosen rows', 'wide', groupBox, chosen), snippetBox(r.snippet));
  await draw();
  await groupsOf();
  await pick();
}

async function colors(r, set, name) {
  if (name === '#cluster' && r.clusters) {
    const levels = [...new Set(r.clusters.labels)].sort((a, b) => a - b).map((c) => `cluster ${c}`);
    return { index: r.clusters.labels, levels, legend: legendOf(levels.map((t, i) => [t, i])) };
  }
  if (!name) return { index: r.rows.map(() => 0) };
  const found = await ask('data/column', { id: set.id, column: name, rows: r.rows });
  if (found.kind === 'categories') return { index: found.values.map((v) => v ?? 7), levels: found.levels, legend: found.levels.length <= 8 ? legendOf(found.levels.map((t, i) => [t, i])) : el('p', { class: 'small' }, `${found.levels.length} levels share 8 colors.`) };
  const known = found.values.filter((v) => v !== null), low = Math.min(...known), high = Math.max(...known);
  return { fill: found.values.map((v) => (v === null ? 'var(--soft)' : rgb(color(high > low ? (v - low) / (high - low) : 0.5)))), legend: el('div', { class: 'heat' }, el('span', { class: 'small' }, name), scaleOf(low, high)) };
}

function lasso(r, [a, b], paint, selected, choose, cursor) {
  const [x, y] = [r.scores[a], r.scores[b]];
  const f = frame({ width: 760, height: 520, xRange: extent([x], 0.05), yRange: extent([y], 0.05), xLabel: `component ${a + 1}`, yLabel: `component ${b + 1}`, label: `${r.rows.length} points on components ${a + 1} and ${b + 1}` });
  f.root.classList.add('lasso');
  const inside = new Set(selected), places = x.map((v, i) => [f.x(v), f.y(y[i])]);
  places.forEach(([px, py], i) => {
    const dot = svg('circle', { class: `dot ${paint.fill ? '' : 'c' + (paint.index[i] % 8)}${inside.has(i) ? ' chosen' : ''}`, cx: px.toFixed(1), cy: py.toFixed(1), r: inside.has(i) ? 5.5 : 4, fill: paint.fill?.[i], 'data-row': r.rows[i], opacity: selected.length && !inside.has(i) ? 0.4 : 1 });
    dot.append(svg('title', {}, `row ${r.rows[i]}: ${r.words[i]}`));
    f.layer.append(dot);
  });
  const shape = svg('path', { class: 'shape', visibility: 'hidden' });
  f.root.append(shape);
  let trail = null;
  const at = (event) => { const box = f.root.getBoundingClientRect(); return [((event.clientX - box.left) / box.width) * f.width, ((event.clientY - box.top) / box.height) * f.height]; };
  f.root.addEventListener('pointerdown', (event) => { trail = [at(event)]; f.root.setPointerCapture(event.pointerId); });
  f.root.addEventListener('pointermove', (event) => {
    if (!trail) return;
    trail.push(at(event));
    shape.setAttribute('visibility', 'visible');
    shape.setAttribute('d', 'M' + trail.map((p) => p.map((v) => v.toFixed(1)).join(' ')).join('L') + 'Z');
  });
  f.root.addEventListener('pointerup', () => {
    const line = trail;
    trail = null;
    if (!line || line.length < 4) { shape.setAttribute('visibility', 'hidden'); return; }
    choose(places.map((p, i) => (within(p, line) ? i : -1)).filter((i) => i >= 0));
  });
  const node = figure(f.root);
  const toggle = (i) => choose(inside.has(i) ? selected.filter((k) => k !== i) : [...selected, i].sort((p, q) => p - q), i);
  node.append(walk(f, places, r.rows.map((row, i) => `row ${row}: ${r.words[i]}${inside.has(i) ? ' (chosen)' : ''}`), toggle, cursor));
  return node;
}

// Rows as text: `0-4,7`.
export function ranges(rows) {
  const sorted = [...rows].sort((a, b) => a - b), out = [];
  for (let i = 0; i < sorted.length; i++) {
    let j = i;
    while (sorted[j + 1] === sorted[j] + 1) j++;
    out.push(j > i ? `${sorted[i]}-${sorted[j]}` : String(sorted[i]));
    i = j;
  }
  return out.join(',');
}

function rowsOf(text) {
  const rows = new Set();
  for (const part of String(text ?? '').split(',').filter(Boolean)) {
    const [from, to = from] = part.split('-').map(Number);
    for (let row = from; row <= Math.min(to, from + 20000); row++) rows.add(row);
  }
  return rows;
}

// Whether a point of the screen is inside of a line drawn on it.
function within([px, py], line) {
  let inside = false;
  for (let i = 0, j = line.length - 1; i < line.length; j = i++) {
    const [xi, yi] = line[i], [xj, yj] = line[j];
    if ((yi > py) !== (yj > py) && px < ((xj - xi) * (py - yi)) / (yj - yi) + xi) inside = !inside;
  }
  return inside;
}
