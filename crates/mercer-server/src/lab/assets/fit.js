// The panel of fits.

import { ask, runJob } from './api.js';
import { choice, describe, reopen, save, start, state } from './app.js';
import { kernelInput } from './kernel_input.js';
import { sets, useSet } from './data.js';
import { color, figure, frame, lines, plane, rgb, scatter, svg } from './plot.js';
import { card, checkbox, el, failure, field, progressBox, say, select, shown, snippetBox, table, tiles } from './ui.js';
import { reportButton } from './report.js';

const SEARCHED = { ridge: 'lambda', logistic: 'lambda', svc: 'C', svr: 'C' };
const FIRST = { values: 'ridge', classes: 'svc', novelty: 'one_class' };

// The surface stays when a click on it fits again.
let surface = null;

export async function fitPanel() {
  const s = state.fit;
  const set = state.data.id ? await describe(state.data.id) : null;
  const goal = set ? goalOf(set) : 'values';
  const learners = start.learners.filter((l) => l.fits && l.name !== 'shared_gaussian_process');
  s.learner ??= FIRST[goal];
  const learner = learners.find((l) => l.name === s.learner) ?? learners[0];
  s.settings ??= defaults(learner, set);
  const result = el('div', { class: 'grid wide-holder', 'data-result': true });
  const progress = el('div', {});
  const go = el('button', { type: 'submit', class: 'primary fixed', disabled: !set }, s.search ? 'Search and fit' : 'Fit');
  const fit = async () => {
    go.disabled = true;
    progress.replaceChildren();
    let stop = () => {};
    const meter = progressBox(() => stop(), s.search || learner.anytime ? 'Stop and keep the model' : 'Stop');
    progress.append(meter.box);
    try {
      const key = state.data.id + learner.name;
      const asked = { kernel: s.settings.kernel ?? '', lengthscales: numbers(s.lengthscales), penalties: numbers(s.penalties) };
      const request = { learner: learner.name, settings: s.settings, data: { ...choice(), scale_target: Boolean(s.scale_target) }, search: Boolean(s.search), lengthscales: asked.lengthscales, penalties: asked.penalties };
      // An address with a cell of a surface: the search is repeated, and the cell is fitted.
      if (s.surface && !s.search && surface?.of !== key) Object.assign(request, { search: true, lengthscales: s.surface.lengthscales, penalties: s.surface.penalties, settings: { ...s.settings, kernel: s.surface.kernel }, cell: { kernel: s.settings.kernel, penalty: Number(s.settings[SEARCHED[learner.name]]) } });
      const { job, seconds, result: found } = await runJob('fit/start', request, meter.show, (f) => { stop = f; meter.allow(); });
      s.run = true;
      save();
      if (found.search) surface = { of: key, search: found.search, asked: s.search ? asked : s.surface };
      progress.replaceChildren(el('p', { class: 'small soft', role: 'status', 'data-done': true }, `${found.stopped ? 'Stopped; the model so far is kept' : 'Done'} after ${shown(seconds, 3)} s.`));
      show(result, found, job, set, (kernel, penalty) => { s.search = false; s.surface = surface.asked; s.settings = { ...s.settings, kernel, [SEARCHED[learner.name]]: String(penalty) }; save(); reopen(); });
    } catch (error) {
      progress.replaceChildren(failure(error));
    } finally {
      go.disabled = false;
    }
  };
  const form = el('form', { onsubmit: (event) => { event.preventDefault(); fit(); } },
    el('div', { class: 'row' },
      field('Data', select([['', 'choose …'], ...sets()], state.data.id ?? '', async (id) => { if (!id) return; const found = await useSet(id); state.fit = { learner: FIRST[goalOf(found)] }; surface = null; reopen(); })),
      set ? field('Target', select([['', 'none'], ...set.columns.map((c) => c.name)], state.data.target ?? '', (t) => { state.data.target = t; state.fit = { learner: FIRST[goalOf(set)] }; surface = null; reopen(); })) : null,
      field('Learner', select(grouped(learners), learner.name, (name) => { state.fit = { learner: name }; surface = null; reopen(); }), learner.summary)),
    set ? settingsForm(learner, s, set, go) : el('p', {}, 'Choose data first.'),
    el('div', { class: 'row' }, go, reportButton(() => document.getElementById('main'), () => `${learner.title} of ${state.data.target || state.data.id}`)));
  const panel = el('div', { class: 'grid' }, card('Fit', 'wide', form, progress), result);
  result.className = 'card-holder';
  save();
  if (s.run && set) fit();
  return panel;
}

function goalOf(set) {
  const target = set.columns.find((c) => c.name === state.data.target);
  if (!target) return 'novelty';
  if (state.data.task === 'classes') return 'classes';
  if (state.data.task === 'numbers') return 'values';
  return target.kind !== 'numbers' || (target.name === 'label' && set.kind === 'graphs') ? 'classes' : 'values';
}

const GOALS = { values: 'Numbers', classes: 'Classes', novelty: 'Without a target' };
function grouped(learners) {
  return Object.entries(GOALS).map(([goal, name]) => ({ group: name, options: learners.filter((l) => l.goal === goal).map((l) => [l.name, l.title]) }));
}

// What a person would start with: an intercept, and scaled columns.
function defaults(learner, set) {
  const settings = {};
  if (learner.parameters.some((p) => p.name === 'intercept') && learner.name === 'ridge') settings.intercept = true;
  if (set && state.data.scale === undefined && set.kind !== 'graphs' && set.kind !== 'text') state.data.scale = 'standard';
  if (set && state.data.missing === undefined && set.columns.some((c) => c.missing)) state.data.missing = 'drop';
  if (learner.name === 'gaussian_process' || learner.name === 'svr') state.fit.scale_target = true;
  if (learner.name === 'svc') settings.C = '1';
  if (set?.kind === 'text') settings.kernel = 'on([review], normalized(spectrum(length=4)))*on([price], gaussian(lengthscale=10)) + on([kind], delta())';
  return settings;
}

function numbers(text) {
  const list = (Array.isArray(text) ? text : String(text ?? '').split(',')).map((v) => Number(String(v).trim() || NaN)).filter((v) => Number.isFinite(v));
  return list.length ? list : null;
}

function settingsForm(learner, s, set, go) {
  const change = (name, value) => { s.settings = { ...s.settings }; if (value === '' || value === null) delete s.settings[name]; else s.settings[name] = value; s.run = false; save(); };
  const one = (p) => {
    const value = s.settings[p.name];
    const hint = `${p.meaning}${p.kind === 'kernel' || p.kind === 'flag' ? '' : `; ${p.allowed}`}${p.default ? `; default ${p.default}` : ''}`;
    if (p.kind === 'kernel') return kernelInput({ label: 'Kernel', value: value ?? '', placeholder: set.kind === 'graphs' || set.kind === 'text' ? 'chosen for the columns' : p.default ?? '', onchange: (text) => change(p.name, text) }).box;
    if (p.kind === 'flag') return checkbox(p.name.replaceAll('_', ' '), value ?? p.default === 'true', (on) => change(p.name, on), p.meaning);
    if (p.kind === 'word') return field(p.name.replaceAll('_', ' '), select([...(p.default ? [] : [['', 'none']]), ...p.words], value ?? p.default ?? '', (v) => change(p.name, v)), p.meaning);
    const input = el('input', { type: 'text', inputmode: p.kind === 'number' || p.kind === 'count' ? 'decimal' : 'text', value: value ?? '', placeholder: p.default ?? (p.required ? 'needed' : 'chosen'), onchange: () => change(p.name, input.value.trim()), 'data-setting': p.name });
    return field(p.name.replaceAll('_', ' '), input, hint);
  };
  const first = learner.parameters.filter((p) => ['kernel', 'kernels'].includes(p.kind));
  const main = learner.parameters.filter((p) => !first.includes(p)).slice(0, 3), more = learner.parameters.filter((p) => !first.includes(p)).slice(3);
  const searched = SEARCHED[learner.name];
  const lists = el('div', { class: 'row' });
  const showLists = () => {
    go.textContent = s.search ? 'Search and fit' : 'Fit';
    const input = (name, hint) => { const node = el('input', { type: 'text', value: [s[name] ?? ''].flat().join(', '), placeholder: 'chosen from the data', onchange: () => { s[name] = node.value.split(',').map((v) => v.trim()).filter(Boolean); save(); } }); return field(name === 'penalties' ? `${searched} to try` : 'lengthscales to try', node, hint); };
    lists.replaceChildren(...(s.search ? [input('lengthscales', 'Numbers with commas, such as 0.5, 1, 2'), input('penalties', 'Numbers with commas, such as 0.01, 0.1, 1')] : []));
  };
  showLists();
  return el('div', {}, first.map(one), el('div', { class: 'row' }, main.map(one)),
    el('div', { class: 'row' }, searched ? checkbox(`search ${searched} and the lengthscale`, Boolean(s.search), (on) => { s.search = on; s.run = false; showLists(); save(); }, 'by leave-one-out, or by 5 folds') : null,
      ['gaussian_process'].includes(learner.name) ? checkbox('scale the target', Boolean(s.scale_target), (on) => { s.scale_target = on; save(); }, 'to mean 0 and standard deviation 1 for the fit') : null,
      field('Scale of numbers', select([['none', 'as they are'], ['standard', 'mean 0, standard deviation 1'], ['unit', 'from 0 to 1']], state.data.scale ?? 'none', (v) => { state.data.scale = v; save(); })),
      field('Missing values', select([['error', 'are an error'], ['drop', 'drop the row'], ['mean', 'take the mean'], ['zero', 'take 0']], state.data.missing ?? 'error', (v) => { state.data.missing = v; save(); }))),
    lists,
    more.length ? el('details', {}, el('summary', {}, 'More settings'), el('div', { class: 'row' }, more.map(one))) : null);
}

function show(box, r, job, set, refit) {
  const cards = [summary(r)];
  if (surface && surface.of === state.data.id + r.learner) cards.push(surfaceCard(surface.search, r, refit));
  if (r.curve && !r.curve.reason) cards.push(card('Fit', 'wide', lines({ width: 900, height: 380, x: r.curve.x, series: [{ values: r.curve.y }], band: r.curve.lower ? { lower: r.curve.lower, upper: r.curve.upper } : null, points: { x: r.curve.points.x, y: r.curve.points.y, size: 2.4 }, xLabel: r.inputs[0], yLabel: r.target, label: `${r.target} against ${r.inputs[0]} with the fit`, caption: r.curve.lower ? 'The band holds a new observation with probability 0.95.' : '' })));
  if (r.regression) cards.push(...regression(r));
  if (r.classes) cards.push(...classes(r));
  if (r.plane) cards.push(planeCard(r, job));
  if (Array.isArray(r.effects)) cards.push(card('Additive parts', 'wide', el('div', { class: 'grid' }, r.effects.map((e) => effect(e, r)))));
  if (r.novelty) cards.push(card('Inside and outside', '', el('p', {}, `${r.novelty.outside} of ${r.rows} rows are outside.`)));
  cards.push(predictCard(r, job, set, state.fit), snippetBox(r.snippet));
  box.replaceChildren(...cards);
  box.dataset.learner = r.learner;
}

function summary(r) {
  const q = r.regression ?? {}, c = r.classes ?? {};
  return card(`${r.title}${r.target ? ` of ${r.target}` : ''}`, 'wide',
    r.stopped ? el('p', { class: 'unknown' }, 'It was stopped: this is the model at that moment.') : null,
    tiles([['rows', r.rows], ['RMSE', q.rmse], ['leave-one-out RMSE', q.loo_rmse], ['R²', q.r2], ['leave-one-out R²', q.loo_r2], ['accuracy', c.accuracy], ['log loss', c.log_loss]]),
    el('p', {}, el('span', { class: 'soft' }, 'Kernel: '), el('code', { 'data-kernel': true }, r.kernel ?? 'none')),
    r.remarks.map((text) => el('p', { class: 'small' }, text)),
    el('details', {}, el('summary', {}, 'All facts of the fit'), table(['fact', 'value', 'meaning'], r.facts.map((f) => [f.name, shown(f.value, 6), f.meaning]), 'Facts')));
}

// λ or C against the lengthscale: a cell fits again.
function surfaceCard(search, r, refit) {
  const rows = search.lengthscales.length, cols = search.penalties.length;
  const known = search.scores.filter((v) => v !== null), logs = known.map((v) => (v > 0 ? Math.log10(v) : -300));
  const low = Math.min(...logs), high = Math.max(...logs);
  const axis = (list) => list.map((v, i) => [i, list.length > 12 && i % 3 ? '' : shown(v, 2)]);
  const f = frame({ width: 900, height: Math.max(220, 60 + rows * 30), marginLeft: 74, xRange: [-0.5, cols - 0.5], yRange: [-0.5, rows - 0.5], xTicks: axis(search.penalties), yTicks: axis(search.lengthscales.map((l) => l ?? 'kernel')), xLabel: search.parameter, yLabel: search.lengthscales[0] === null ? '' : 'lengthscale', label: `${search.measure} for every ${search.parameter} and lengthscale` });
  f.root.setAttribute('role', 'group');
  const cells = [], cw = f.w / cols, ch = f.h / rows;
  const pick = (i, j) => { say(`Fitting with ${search.parameter} = ${shown(search.penalties[j])} …`); refit(search.kernels[i], search.penalties[j]); };
  for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) {
    const v = search.scores[i * cols + j], best = search.best[0] === i && search.best[1] === j;
    const share = v === null ? null : 1 - (Math.log10(Math.max(v, 1e-300)) - low) / (high - low || 1);
    const cell = svg('rect', { class: 'cell pick', x: f.m.left + j * cw, y: f.y(i + 0.5), width: cw, height: ch, fill: share === null ? 'var(--grid)' : rgb(color(share)), role: 'button', tabindex: best ? '0' : '-1', 'aria-label': `${search.parameter} ${shown(search.penalties[j])}${search.lengthscales[i] === null ? '' : `, lengthscale ${shown(search.lengthscales[i])}`}: ${v === null ? 'not scored' : shown(v)}${best ? ', the best' : ''}`, onclick: () => pick(i, j), 'data-cell': `${i},${j}` },
      svg('title', {}, `${search.parameter} ${shown(search.penalties[j])}, lengthscale ${shown(search.lengthscales[i])}: ${shown(v)}`));
    cell.addEventListener('keydown', (event) => {
      const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [1, 0], ArrowDown: [-1, 0] }[event.key];
      if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); pick(i, j); }
      if (!step) return;
      event.preventDefault();
      const next = cells[(i + step[0] + rows) % rows]?.[(j + step[1] + cols) % cols];
      cell.setAttribute('tabindex', '-1'); next.setAttribute('tabindex', '0'); next.focus();
    });
    (cells[i] ??= []).push(cell);
    f.layer.append(cell);
    if (best) f.layer.append(svg('circle', { cx: f.m.left + (j + 0.5) * cw, cy: f.y(i), r: 6, fill: 'none', stroke: '#000', 'stroke-width': 2.5, 'pointer-events': 'none' }), svg('circle', { cx: f.m.left + (j + 0.5) * cw, cy: f.y(i), r: 6, fill: 'none', stroke: '#fff', 'stroke-width': 1, 'pointer-events': 'none' }));
  }
  const chosen = search.best;
  return card('Where the search has been', 'wide', figure(f.root, `${search.measure}; yellow is small, the ring is the best: ${shown(search.scores[chosen[0] * cols + chosen[1]])}. Click a cell (or arrow keys and Enter) to fit with it.${search.complete ? '' : ' The search was stopped.'} Gray cells were not scored.`));
}

function regression(r) {
  const q = r.regression, titles = q.rows.map((row, i) => `row ${row}: observed ${shown(q.observed[i])}, predicted ${shown(q.predicted[i])}`);
  const out = [
    card('Observed and predicted', '', scatter({ x: q.predicted, y: q.observed, diagonal: true, xLabel: 'predicted', yLabel: 'observed', label: 'observed against predicted values', titles, size: 2.6, colors: q.predicted.map(() => 0) })),
    card('Residuals', '', scatter({ x: q.predicted, y: q.loo_residuals ?? q.residuals, horizontal: 0, xLabel: 'predicted', yLabel: q.loo_residuals ? 'leave-one-out residual' : 'residual', label: 'residuals against predicted values', titles, size: 2.6, colors: q.predicted.map(() => 0) }))];
  if (q.calibration) out.push(card('Calibration of the intervals', '', lines({ x: q.calibration.x, series: [{ values: q.calibration.x, color: 7 }, { values: q.calibration.y, color: 0 }], names: ['nominal', 'share of the data inside'], xLabel: 'level of the interval', yLabel: 'share inside', label: 'share of the data inside intervals of every level', caption: 'On the data of the fit, where a model looks better than it is.' })));
  if (q.lower) out.push(card('Intervals', '', intervals(q)));
  else if (q.interval_reason) out.push(card('Intervals', '', el('p', { class: 'soft' }, q.interval_reason)));
  return out;
}

function intervals(q) {
  const order = q.predicted.map((_, i) => i).sort((a, b) => q.predicted[a] - q.predicted[b]);
  const step = Math.max(1, Math.floor(order.length / 160)), some = order.filter((_, k) => k % step === 0);
  const x = some.map((_, k) => k + 1);
  return lines({ x, series: [{ values: some.map((i) => q.predicted[i]) }], band: { lower: some.map((i) => q.lower[i]), upper: some.map((i) => q.upper[i]) }, points: { x, y: some.map((i) => q.observed[i]), size: 2.4 }, xLabel: 'rows in the order of their predictions', yLabel: 'target', label: 'predictions with intervals', caption: `Intervals of level ${q.level} with the observations.` });
}

function classes(r) {
  const c = r.classes;
  const out = [card('Confusion', '', table(['true \\ predicted', ...c.names], c.confusion.map((row, i) => [c.names[i], ...row]), 'Confusion matrix', c.names.map((_, j) => j + 1)),
    c.wrong.length ? el('p', { class: 'small' }, `Wrong rows: ${c.wrong.slice(0, 30).join(', ')}${c.wrong.length > 30 ? ', …' : ''}`) : el('p', { class: 'small' }, 'No row of the data is wrong.'))];
  if (c.calibration) out.push(card('Calibration', '', lines({ x: c.calibration.x, series: [{ values: c.calibration.x, color: 7 }, { values: c.calibration.y, color: 0 }], points: { x: c.calibration.x, y: c.calibration.y, colors: c.calibration.x.map(() => 0), size: 4 }, names: ['as said', 'as it was'], xLabel: 'probability of a class', yLabel: 'share that was right', label: 'reliability of the probabilities', caption: 'Of the predictions with about this probability, the share that was right; all classes together, on the data of the fit.' })));
  else out.push(card('Calibration', '', el('p', { class: 'soft' }, 'This model gives no probabilities: logistic regression does, and a support vector machine with a calibration (more settings).')));
  return out;
}

function planeCard(r, job) {
  const holder = el('div', {}, plane(r.plane, `${r.title} over ${r.plane.names.join(' and ')}`));
  let axes = [r.plane.x, r.plane.y];
  const options = r.coordinates.map((name, i) => [String(i), name]);
  const change = (k) => async (v) => {
    axes[k] = Number(v);
    try { holder.replaceChildren(plane(await ask('fit/plane', { job, x: axes[0], y: axes[1] }), `${r.title} over two inputs`)); } catch (error) { holder.replaceChildren(failure(error)); }
  };
  return card(r.classes ? 'Decision boundary' : r.novelty ? 'Inside and outside' : 'Predictions over two inputs', 'wide',
    r.coordinates.length > 2 ? el('div', { class: 'row no-report' }, field('Across', select(options, String(axes[0]), change(0))), field('Upward', select(options, String(axes[1]), change(1)))) : null, holder);
}

function effect(e, r) {
  const title = `${e.columns.join(', ')}: ${shown(100 * e.variance_share, 3)} % of the variance`;
  if (e.grid && e.grid.axes.length === 1) {
    const v = e.grid.values;
    return card(title, 'third', lines({ width: 380, height: 240, x: e.grid.axes[0], series: [{ values: v }], band: { lower: e.grid.lower, upper: e.grid.upper }, xLabel: e.columns[0], label: `effect of ${e.columns[0]} on ${r.target}`, caption: e.kernel }));
  }
  return card(title, 'third', el('p', { class: 'small soft' }, e.kernel));
}

function predictCard(r, job, set, s) {
  const out = el('div', { 'aria-live': 'polite', 'data-prediction': true });
  const graphs = set.kind === 'graphs';
  const inputs = {};
  const show = (p) => {
    const title = p.class ? `Class: ${p.class}` : p.values ? `${r.target ?? 'Prediction'}: ${p.values.map((v) => shown(v, 6)).join(', ')}` : '';
    out.replaceChildren(el('p', { class: 'verdict' }, title),
      p.interval ? el('p', {}, `A new observation lies between ${shown(p.interval.lower, 5)} and ${shown(p.interval.upper, 5)} with probability ${p.interval.level}.`) : null,
      p.probabilities ? table(['class', 'probability'], p.probabilities, 'Probabilities', [1]) : null,
      p.parts?.length > 1 ? el('div', {}, el('h3', {}, 'Parts of the sum'), table(['kernel', 'part of the prediction'], p.parts.map((q) => [q.kernel, q.value]), 'Parts', [1])) : null,
      p.rows?.length ? el('div', {}, el('h3', {}, p.rows[0].term === null ? 'The most similar rows' : p.class ? `What contributed most to the decision for ${p.class}` : 'What contributed most'), table(['row', 'its value', 'k(x, xᵢ)', ...(p.rows[0].term !== null ? ['αᵢk(x, xᵢ)'] : [])], p.rows.map((q) => [q.row ?? '—', q.label === null ? '—' : shown(Number.isNaN(Number(q.label)) ? q.label : Number(q.label)), q.similarity, ...(q.term !== null ? [q.term] : [])]), 'Rows that contributed most', [0, 2, 3])) : null);
  };
  const predict = async (event) => {
    event?.preventDefault();
    // The address keeps the row.
    s.like = inputs.like.value;
    if (!graphs) s.row = Object.fromEntries(r.inputs.map((name) => [name, inputs[name].value]));
    save();
    try {
      const request = graphs ? { job, like: Number(inputs.like.value) } : { job, row: Object.fromEntries(r.inputs.map((name) => [name, inputs[name].value])) };
      show(await ask('fit/predict', request));
    } catch (error) { out.replaceChildren(failure(error)); }
  };
  const like = el('input', { type: 'number', min: 0, max: set.rows - 1, value: s.like ?? '0', 'data-like': true });
  const fill = () => {
    const row = set.head[Math.min(Number(like.value) || 0, set.head.length - 1)];
    if (row) r.inputs.forEach((name) => { const v = row[set.columns.findIndex((c) => c.name === name)]; inputs[name].value = v === null || v === undefined ? '' : String(v); });
  };
  const fields = graphs ? [] : r.inputs.map((name) => {
    const column = set.columns.find((c) => c.name === name);
    inputs[name] = el('input', { type: 'text', inputmode: column?.kind === 'numbers' ? 'decimal' : 'text', 'data-input': name });
    return field(name, inputs[name]);
  });
  inputs.like = like;
  if (!graphs) fill();
  const known = graphs ? s.like !== undefined : s.row && r.inputs.every((name) => typeof s.row[name] === 'string');
  if (known) {
    if (!graphs) r.inputs.forEach((name) => { inputs[name].value = s.row[name]; });
    predict();
  }
  like.addEventListener('change', () => { if (!graphs) fill(); });
  return card('Predict a row', 'wide', el('form', { class: 'no-report', onsubmit: predict },
    el('div', { class: 'row' }, field(graphs ? 'The graph of row' : 'Start from row', like), ...fields, el('button', { type: 'submit', class: 'fixed primary' }, 'Predict'))), out);
}
