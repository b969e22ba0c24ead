// The panel of kernels.

import { ask, latest } from './api.js';
import { choice, describe, save, start, state } from './app.js';
import { kernelInput } from './kernel_input.js';
import { sets, useSet } from './data.js';
import { figure, frame, extent, heat, lines, svg, walk } from './plot.js';
import { card, el, field, select, shown, snippetBox, table } from './ui.js';
import { reportButton } from './report.js';

const FIRST = '2*gaussian(lengthscale=1) + 0.5*periodic(period=2, lengthscale=1)';

export async function kernelPanel() {
  const s = state.kernel;
  s.k ??= FIRST;
  if (state.data.id) await describe(state.data.id);
  const parts = {};
  for (const name of ['form', 'sliders', 'proof', 'check', 'profile', 'density', 'draws', 'decay', 'gram', 'snippet']) parts[name] = el('div', {});
  let sliders = { names: '', ranges: {} }, example = s.example ?? null, resting = false, checked = '';

  const renew = (text) => { s.k = text; s._values = s._whole = null; sliders.names = ''; setExample(null); save(); refresh(); };
  // The address keeps a counterexample that somebody changed, unless it is long.
  const setExample = (changed) => { example = changed; s.example = changed && changed.points.length <= 40 ? { points: changed.points, weights: changed.weights } : null; };
  const refresh = latest(
    () => ask('kernel/look', { kernel: s.k, parameters: s._values ?? null, whole: s._whole ?? null, half_width: Number(s.half) || 4, axis: Number(s.axis) || 0, seed: Number(s.seed) || 0, order: s.order || 'target', data: choice(), recheck: example ? { points: example.points, weights: example.weights } : null }),
    (found) => {
      input.refuse(null);
      // When a slider rests, the text becomes what is shown.
      if (resting) { resting = false; s.k = found.normal; s._values = s._whole = null; input.value = s.k; sliders.text = s.k; save(); }
      show(found);
    },
    (error) => { input.refuse(error); parts.form.replaceChildren(); });

  const input = kernelInput({
    label: 'Kernel', value: s.k, hint: 'Type a name for completion (Ctrl+Space lists all that fits). + and * combine kernels; on([column], …) chooses columns.',
    onchange: (text) => renew(text),
  });

  const show = (found) => {
    parts.form.replaceChildren(el('p', {}, el('span', { class: 'soft' }, 'Normal form: '), el('code', { 'data-normal': true }, found.normal),
      found.kind ? el('span', { class: 'soft' }, ` on ${found.kind}`) : null));
    showSliders(found);
    showProofs(parts.proof, found);
    pictures(parts, found, s);
    parts.snippet.replaceChildren(snippetBox(found.snippet));
    showExample(found);
  };

  const showSliders = (found) => {
    const names = [...found.parameters, ...found.whole].map((p) => p.name).join();
    if (names === sliders.names && sliders.text === s.k) return;
    sliders = { names, text: s.k, ranges: {} };
    const values = found.parameters.map((p) => p.value), whole = found.whole.map((p) => p.value);
    const apply = (i, value) => { values[i] = value; s._values = [...values]; refresh(); };
    const step = (i, value) => { whole[i] = value; s._whole = [...whole]; refresh(); };
    const rest = () => { resting = true; refresh(); };
    const all = [...found.parameters.map((p, i) => slider(p, (v) => apply(i, v), rest)), ...found.whole.map((p, i) => stepper(p, (v) => step(i, v), rest))];
    const active = document.activeElement?.id;
    parts.sliders.replaceChildren(...(all.length ? all : [el('p', { class: 'soft small' }, 'This kernel has no parameters.')]));
    // A slider that rests is made anew: the keys go on where they were.
    if (active?.startsWith('slider-')) document.getElementById(active)?.focus();
  };

  const showExample = (found) => {
    const psd = found.properties.find((p) => p.name === 'psd');
    if (psd.holds === true) { setExample(null); save(); parts.check.replaceChildren(); checked = ''; return; }
    if (example && found.recheck) return drawExample(parts.check, example, found.recheck, (changed) => { setExample(changed); save(); refresh(); });
    if (checked === found.normal) return;
    checked = found.normal;
    parts.check.replaceChildren(card('Is it positive semi-definite?', 'wide', el('p', { role: 'status' }, 'Looking for points and weights with cᵀKc < 0 …')));
    ask('kernel/check', { kernel: found.normal, data: choice() }).then((result) => {
      if (checked !== found.normal) return;
      if (result.verdict === 'refuted' && result.counterexample.points.length) { example = result.counterexample; refresh(); return; }
      const text = result.verdict === 'refuted' ? result.counterexample.text
        : `No counterexample among ${result.points_tried} points in ${result.sets_tried} sets; the smallest eigenvalue was ${shown(result.min_eigenvalue)}. No rule proves it either.`;
      const ce = result.counterexample;
      parts.check.replaceChildren(card('Is it positive semi-definite?', 'wide', el('pre', { class: 'mono small', tabindex: '0', 'aria-label': 'Result of the check' }, text),
        ce?.matrix ? matrixOf(ce.matrix, ce.weights, (k) => `row ${ce.indices[k]}${ce.objects[k] ? `, ${ce.objects[k].slice(0, 60)}` : ''}`) : null));
    }, (error) => parts.check.replaceChildren(card('Is it positive semi-definite?', 'wide', el('p', {}, error.message))));
  };

  const set = (name) => (value) => { s[name] = value; save(); refresh(); };
  const pick = select([['', 'none'], ...sets()], state.data.id ?? '', async (id) => { if (id) await useSet(id); else state.data = {}; checked = ''; save(); refresh(); });
  const half = el('input', { type: 'number', min: '0.01', step: 'any', value: s.half ?? '4', onchange: () => set('half')(half.value) });
  const seed = el('button', { type: 'button', onclick: () => set('seed')(String((Number(s.seed) || 0) + 1)) }, 'Draw others');
  const order = select([['target', 'class or target'], ['spectrum', 'leading eigenvector'], ['file', 'as in the file']], s.order ?? 'target', set('order'));
  const examples = select([['', 'Examples …'], ...start.kernels.map((k) => ({ group: `${k.family}: ${k.name}`, options: k.examples }))], '', (text) => { if (text) { input.value = text; renew(text); } });
  const panel = el('div', { class: 'grid' },
    el('section', { class: 'card wide', 'aria-label': 'Expression' }, input.box, parts.form,
      el('div', { class: 'row no-report' }, field('From the catalogue', examples), field('Data', pick), field('Half-width of the axis', half),
        reportButton(() => document.getElementById('main'), () => `Kernel ${s.k}`)),
      el('fieldset', {}, el('legend', {}, 'Parameters'), parts.sliders)),
    parts.check,
    card('Properties', 'wide', parts.proof),
    card('Profile', '', parts.profile), card('Draws from the prior', '', parts.draws, el('div', { class: 'no-report' }, seed)),
    card('Spectral density', '', parts.density), card('Eigenvalues', '', parts.decay),
    card('Gram matrix of the data', 'wide', el('div', { class: 'row no-report' }, field('Order of the rows', order)), parts.gram),
    parts.snippet);
  parts.check.className = parts.snippet.className = 'card-holder';
  save();
  refresh();
  return panel;
}

function slider(p, apply, rest) {
  const log = p.positive, size = (v) => (log ? Math.log10(Math.max(v, 1e-300)) : v);
  const number = el('input', { type: 'number', step: 'any', value: shownValue(p.value), 'aria-label': `${p.name}, value` });
  const range = el('input', { type: 'range', min: size(p.low), max: size(p.high), step: 'any', value: size(p.value), 'aria-valuetext': shownValue(p.value) });
  range.step = String((range.max - range.min) / 400);
  range.value = String(size(p.value));
  const id = `slider-${p.name.replace(/[^a-z0-9]/gi, '-')}`;
  range.id = id;
  range.addEventListener('input', () => {
    const v = log ? 10 ** Number(range.value) : Number(range.value);
    number.value = shownValue(v); range.setAttribute('aria-valuetext', shownValue(v));
    apply(Number(Number(v).toPrecision(4)));
  });
  range.addEventListener('change', rest);
  number.addEventListener('change', () => { const v = Number(number.value); if (Number.isFinite(v)) { range.value = String(size(v)); apply(v); rest(); } });
  return el('div', { class: 'slider' }, el('label', { for: id }, p.name), range, number);
}

// A slider of whole numbers.
function stepper(p, apply, rest) {
  const id = `slider-${p.name.replace(/[^a-z0-9]/gi, '-')}`;
  const range = el('input', { type: 'range', id, min: p.low, max: p.high, step: '1', 'aria-valuetext': String(p.value), disabled: p.low === p.high });
  const number = el('input', { type: 'number', min: '0', step: '1', 'aria-label': `${p.name}, value` });
  range.value = number.value = String(p.value);
  range.addEventListener('input', () => { number.value = range.value; range.setAttribute('aria-valuetext', range.value); apply(Number(range.value)); });
  range.addEventListener('change', rest);
  number.addEventListener('change', () => { const v = Number(number.value); if (Number.isInteger(v) && v >= 0) { range.value = number.value; apply(v); rest(); } });
  return el('div', { class: 'slider' }, el('label', { for: id }, p.name), range, number);
}

const shownValue = (v) => String(Number(Number(v).toPrecision(4)));

const MARKS = { true: ['✓', 'yes', 'proven'], false: ['✗', 'no', 'refuted'], null: ['?', 'unknown', 'not known'] };

function showProofs(box, found) {
  const open = new Set([...box.querySelectorAll('details[open]')].map((d) => d.dataset.name));
  const badge = (p) => { const [mark, kind, word] = MARKS[String(p.holds)]; return el('li', { class: `badge ${kind}` }, el('span', { 'aria-hidden': 'true' }, mark), `${p.adjective}`, el('span', { class: 'small' }, word)); };
  const tree = (proof) => el('li', {}, proof.premises.length
    ? el('details', { open: true }, el('summary', {}, el('code', {}, proof.claim), el('span', { class: 'rule' }, ' — ' + proof.rule)), el('ul', {}, proof.premises.map(tree)))
    : [el('code', {}, proof.claim), el('span', { class: 'rule' }, ' — ' + proof.rule)]);
  box.replaceChildren(
    el('ul', { class: 'badges' }, found.properties.map(badge), found.bound === null || found.bound === undefined ? null : el('li', { class: 'badge soft' }, `k(x, x) ≤ ${shown(found.bound)}`)),
    ...found.properties.map((p) => el('details', { 'data-name': p.name, open: open.has(p.name) }, el('summary', {}, `Why ${p.adjective}${p.holds === false ? ' fails' : p.holds === null ? ' is open' : ''}`),
      p.proof ? el('div', { class: 'tree' }, el('ul', {}, tree(p.proof))) : el('p', {}, p.missing))));
}

function reason(box, part) { box.replaceChildren(el('p', { class: 'soft' }, part.reason)); }

function pictures(parts, found, s) {
  const axis = found.columns?.[found.axis?.axis] ?? 'x';
  if (found.profile.reason) reason(parts.profile, found.profile);
  else parts.profile.replaceChildren(lines({ x: found.profile.x, series: found.profile.series, xLabel: axis, yLabel: 'k(x, y)', height: 270,
    names: found.profile.series.map((f) => `y = ${shown(f.at, 3)}`), label: `values of the kernel against ${axis}`,
    caption: found.profile.shift_invariant ? 'k(x, 0): it depends on x − y only.' : 'k(x, y) for three y: it does not depend on x − y alone.' }));
  if (found.draws.reason) reason(parts.draws, found.draws);
  else parts.draws.replaceChildren(lines({ x: found.draws.x, series: found.draws.series.map((values) => ({ values })), xLabel: axis, yLabel: 'f(x)', height: 270, label: 'functions drawn from the prior', caption: `Functions of the Gaussian process with this covariance, seed ${found.draws.seed}.` }));
  if (found.density.reason) reason(parts.density, found.density);
  else parts.density.replaceChildren(lines({ x: found.density.x, series: [{ values: found.density.values }], xLabel: 'frequency ω', yLabel: 's(ω)', height: 270, label: 'spectral density', caption: `k(x, y) = ∫ s(ω) cos(ω(x − y)) dω; the mass is ${shown(found.density.mass)}.` }));
  if (found.eigenvalues.reason) reason(parts.decay, found.eigenvalues);
  else parts.decay.replaceChildren(decay(found.eigenvalues));
  gram(parts.gram, found.gram, s);
}

function decay(e) {
  const top = e.values[0], floor = Math.max(top * 1e-16, 1e-300);
  const x = e.values.map((_, i) => i + 1), values = e.values.map((v) => (v > floor ? v : null));
  const note = e.lowest < -Math.abs(top) * 1e-12 ? ` The smallest is ${shown(e.lowest)}: negative.` : '';
  return lines({ x, series: [{ values }], logY: true, xLabel: 'number', yLabel: 'eigenvalue', height: 270, label: 'eigenvalues in descending order', caption: `Eigenvalues ${e.source}.${note}` });
}

function gram(box, g, s) {
  if (g.reason) return reason(box, g);
  const name = (k) => `row ${g.rows[k]}${g.groups[k] !== null && g.groups[k] !== undefined ? ` (${g.groups[k]})` : ''}`;
  box.replaceChildren(heat(g, `Gram matrix of ${g.shown}`, name), g.kernel ? el('p', { class: 'small soft' }, 'With what comes from the data filled in: ', el('code', {}, g.kernel)) : '');
}

// The matrix of a counterexample, its weights, and the eigenvector of its smallest eigenvalue.
function matrixOf(m, weights, name) {
  const v = m.eigenvector, n = m.size, x = Array.from({ length: n }, (_, i) => i + 1);
  const f = frame({ width: 560, height: 240, xRange: [0.5, n + 0.5], yRange: extent([v, weights, [0]], 0.1), xLabel: 'point', yLabel: 'component', label: 'eigenvector of the smallest eigenvalue, and the weights' });
  f.layer.append(svg('line', { class: 'axis', x1: f.m.left, x2: f.m.left + f.w, y1: f.y(0), y2: f.y(0) }));
  x.forEach((at, i) => f.layer.append(svg('line', { class: v[i] < 0 ? 'c1' : 'c0', 'stroke-width': Math.max(1.5, Math.min(9, (0.5 * f.w) / n)), x1: f.x(at), x2: f.x(at), y1: f.y(0), y2: f.y(v[i]), 'data-component': i }),
    svg('circle', { class: 'c7', cx: f.x(at), cy: f.y(weights[i]), r: 3 }, svg('title', {}, `${name(i)}: weight ${shown(weights[i])}, component ${shown(v[i])}`))));
  const told = walk(f, x.map((at, i) => [f.x(at), f.y(weights[i])]), x.map((_, i) => `${name(i)}: weight ${shown(weights[i])}, component ${shown(v[i])}`));
  return el('div', { 'data-matrix': n }, heat(m, `matrix of the ${n} points of the counterexample`, name),
    figure(f.root, `The smallest eigenvalue of the matrix is ${shown(m.eigenvalue, 6)}. Bars: its eigenvector; dots: the weights c.`), told);
}

// Points and weights that refute a kernel: changed here, computed there.
function drawExample(box, example, recheck, changed) {
  const d = example.points[0].length, plain = d <= 2;
  const verdict = recheck.reason ? el('p', { class: 'error' }, recheck.reason) : el('p', { class: 'verdict ' + (recheck.negative ? 'no' : 'unknown'), 'data-form': recheck.digits },
    `cᵀKc = ${recheck.digits.slice(0, 22)} ${recheck.negative ? '< 0: not positive semi-definite' : '≥ 0 at these points'}`);
  const edit = (i, j, input) => { const v = Number(input.value); if (!Number.isFinite(v)) return; const next = { ...example, points: example.points.map((p) => [...p]), weights: [...example.weights] }; if (j < 0) next.weights[i] = v; else next.points[i][j] = v; changed(next); };
  const cell = (i, j, value) => { const input = el('input', { type: 'number', step: 'any', value: String(value), 'aria-label': j < 0 ? `weight ${i + 1}` : `point ${i + 1}, coordinate ${j + 1}`, onchange: () => edit(i, j, input) }); return input; };
  const active = document.activeElement?.getAttribute?.('aria-label');
  const content = [verdict, el('p', { class: 'small soft' }, 'Computed anew by the server with 31 digits at every change: move a slider, or change a point or a weight.')];
  if (plain) content.push(stems(example, d));
  else if (recheck.matrix) content.push(matrixOf(recheck.matrix, example.weights, (k) => `point ${k + 1}`));
  const few = example.points.length <= 40;
  if (few) content.push(el('details', { open: example.points.length <= 6 }, el('summary', {}, `${example.points.length} points and weights`),
    table(['point', ...example.points[0].map((_, j) => (d > 1 ? `x${j}` : 'x')), 'weight c'], example.points.map((p, i) => [i + 1, ...p.map((v, j) => cell(i, j, v)), cell(i, -1, example.weights[i])]), 'Points and weights of the counterexample')));
  box.replaceChildren(card('A counterexample', 'wide', ...content));
  if (active) box.querySelector(`[aria-label="${CSS.escape(active)}"]`)?.focus();
}

function stems(example, d) {
  const x = example.points.map((p) => p[0]), w = example.weights;
  if (d === 1) {
    const f = frame({ width: 900, height: 220, xRange: extent([x], 0.1), yRange: extent([w, [0]], 0.15), xLabel: 'x', yLabel: 'weight c', label: 'points and weights of the counterexample' });
    f.layer.append(svg('line', { class: 'axis', x1: f.m.left, x2: f.m.left + f.w, y1: f.y(0), y2: f.y(0) }));
    x.forEach((v, i) => f.layer.append(svg('line', { class: w[i] < 0 ? 'c1' : 'c0', 'stroke-width': 3, x1: f.x(v), x2: f.x(v), y1: f.y(0), y2: f.y(w[i]) }), svg('circle', { class: w[i] < 0 ? 'c1' : 'c0', cx: f.x(v), cy: f.y(w[i]), r: 5 })));
    return figure(f.root, 'Every point with its weight.');
  }
  const y = example.points.map((p) => p[1]);
  const f = frame({ width: 560, height: 360, xRange: extent([x], 0.1), yRange: extent([y], 0.1), xLabel: 'x0', yLabel: 'x1', label: 'points of the counterexample' });
  const top = Math.max(...w.map(Math.abs));
  x.forEach((v, i) => f.layer.append(svg('circle', { class: w[i] < 0 ? 'c1' : 'c0', cx: f.x(v), cy: f.y(y[i]), r: 3 + 9 * Math.sqrt(Math.abs(w[i]) / top), opacity: 0.75 }, svg('title', {}, `weight ${shown(w[i])}`))));
  return figure(f.root, 'Points with positive and negative weights; the area is the size of the weight.', [['positive', 0], ['negative', 1]]);
}
