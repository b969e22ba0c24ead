// Drawing: axes, lines, points, bars and heat maps of numbers that the server computed.

import { el, shown } from './ui.js';

const NS = 'http://www.w3.org/2000/svg';

export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

const finite = (v) => typeof v === 'number' && Number.isFinite(v);

export function extent(lists, air = 0.04) {
  let low = Infinity, high = -Infinity;
  for (const list of lists) for (const v of list ?? []) if (finite(v)) { if (v < low) low = v; if (v > high) high = v; }
  if (low > high) return [0, 1];
  if (low === high) return [low - Math.max(1, Math.abs(low)) * 0.1, high + Math.max(1, Math.abs(high)) * 0.1];
  return [low - air * (high - low), high + air * (high - low)];
}

function ticks([low, high], count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((m) => m * power >= rough);
  const out = [];
  for (let v = Math.ceil(low / step) * step; v <= high + step * 1e-9; v += step) out.push(Math.abs(v) < step * 1e-9 ? 0 : v);
  return out;
}

function logTicks([low, high]) {
  const out = [], from = Math.ceil(low - 1e-9), to = Math.floor(high + 1e-9);
  const step = Math.max(1, Math.ceil((to - from) / 6));
  for (let e = from; e <= to; e += step) out.push(e);
  return out;
}

export const logarithm = (v) => (v > 0 ? Math.log10(v) : null);

// A frame with axes. Positions of logarithmic axes are powers of ten.
export function frame({ width = 560, height = 300, xRange, yRange, xLabel = '', yLabel = '', logX = false, logY = false, label, xTicks, yTicks, marginLeft }) {
  // On a narrow window a picture has fewer units, so that its letters stay readable.
  const narrow = Math.max(300, window.innerWidth - 60);
  if (width > narrow) { height = Math.max(210, Math.min(height, narrow * 0.75)); width = narrow; }
  const left = marginLeft ?? 58, m = { left, right: 14, top: 12, bottom: xLabel ? 44 : 28 };
  const w = width - m.left - m.right, h = height - m.top - m.bottom;
  const x = (v) => m.left + (w * (v - xRange[0])) / (xRange[1] - xRange[0]);
  const y = (v) => m.top + h - (h * (v - yRange[0])) / (yRange[1] - yRange[0]);
  const root = svg('svg', { class: 'plot', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label });
  const text = (v, log) => (log ? (v >= -3 && v <= 4 ? shown(10 ** v) : `1e${v}`) : shown(v, 3));
  const xs = xTicks ?? (logX ? logTicks(xRange) : ticks(xRange, width < 440 ? 4 : 7)).map((v) => [v, text(v, logX)]);
  const ys = yTicks ?? (logY ? logTicks(yRange) : ticks(yRange, 5)).map((v) => [v, text(v, logY)]);
  for (const [v, t] of xs) {
    root.append(svg('line', { class: 'gridline', x1: x(v), x2: x(v), y1: m.top, y2: m.top + h }),
      svg('text', { x: x(v), y: m.top + h + 16, 'text-anchor': 'middle', class: 'soft' }, t));
  }
  for (const [v, t] of ys) {
    root.append(svg('line', { class: 'gridline', x1: m.left, x2: m.left + w, y1: y(v), y2: y(v) }),
      svg('text', { x: m.left - 6, y: y(v) + 4, 'text-anchor': 'end', class: 'soft' }, t));
  }
  root.append(svg('rect', { class: 'axis', x: m.left, y: m.top, width: w, height: h }));
  if (xLabel) root.append(svg('text', { x: m.left + w / 2, y: height - 8, 'text-anchor': 'middle' }, xLabel));
  if (yLabel) root.append(svg('text', { transform: `translate(13 ${m.top + h / 2}) rotate(-90)`, 'text-anchor': 'middle' }, yLabel));
  const layer = svg('g', {});
  root.append(layer);
  return { root, layer, x, y, m, w, h, width, height, xRange, yRange };
}

export function figure(node, caption, legend) {
  return el('figure', {}, node, legend && legend.length > 1 ? legendOf(legend) : null, caption ? el('figcaption', {}, caption) : null);
}

export function legendOf(entries) {
  return el('ul', { class: 'legend' }, entries.map(([name, color]) => el('li', {},
    svg('svg', { viewBox: '0 0 10 10', 'aria-hidden': 'true' }, svg('rect', { class: `c${color % 8}`, width: 10, height: 10, rx: 2 })), name)));
}

function path(f, xs, ys) {
  let d = '', pen = false;
  for (let i = 0; i < xs.length; i++) {
    if (!finite(ys[i]) || !finite(xs[i])) { pen = false; continue; }
    d += `${pen ? 'L' : 'M'}${f.x(xs[i]).toFixed(1)} ${f.y(ys[i]).toFixed(1)}`;
    pen = true;
  }
  return d;
}

// Lines over a common x, with an optional band, points and references.
export function lines({ x, series, band, points, horizontal, vertical, caption, names, ...options }) {
  const xs = options.logX ? x.map(logarithm) : x;
  const map = (values) => (options.logY ? values.map(logarithm) : values);
  const all = series.map((s) => map(s.values));
  const lists = [...all, band?.lower, band?.upper, points?.y, horizontal !== undefined ? [horizontal] : null];
  const yRange = options.yRange ?? extent(lists, 0.06);
  const xRange = options.xRange ?? extent([xs, points?.x], 0.01);
  const f = frame({ ...options, xRange, yRange });
  if (band) {
    const back = [...x.keys()].reverse();
    const d = path(f, x, band.upper) + back.map((i) => `L${f.x(x[i]).toFixed(1)} ${f.y(band.lower[i]).toFixed(1)}`).join('') + 'Z';
    f.layer.append(svg('path', { class: 'band', d }));
  }
  if (horizontal !== undefined) f.layer.append(svg('line', { class: 'reference', x1: f.m.left, x2: f.m.left + f.w, y1: f.y(horizontal), y2: f.y(horizontal) }));
  if (vertical !== undefined && finite(vertical)) f.layer.append(svg('line', { class: 'reference', y1: f.m.top, y2: f.m.top + f.h, x1: f.x(vertical), x2: f.x(vertical) }));
  if (points) dots(f, points);
  all.forEach((values, i) => f.layer.append(svg('path', { class: `line c${(series[i].color ?? i) % 8}`, fill: 'none', style: null, d: path(f, xs, values) })));
  f.layer.querySelectorAll('path.line').forEach((node) => node.setAttribute('fill', 'none'));
  const told = hoverLine(f, x, xs, series, options);
  const node = figure(f.root, caption, names?.map((name, i) => [name, series[i]?.color ?? i]));
  node.append(told);
  return node;
}

// The value under the pointer, or under the arrow keys.
function hoverLine(f, x, xs, series, options) {
  const line = svg('line', { class: 'hover', y1: f.m.top, y2: f.m.top + f.h, visibility: 'hidden' });
  const text = svg('text', { y: f.m.top + 12, visibility: 'hidden' });
  f.root.append(line, text);
  const known = [...xs.keys()].filter((i) => finite(xs[i]));
  const read = (i) => {
    const px = f.x(xs[i]);
    for (const node of [line, text]) node.setAttribute('visibility', 'visible');
    line.setAttribute('x1', px); line.setAttribute('x2', px);
    const right = px > f.m.left + f.w / 2;
    text.setAttribute('x', px + (right ? -6 : 6));
    text.setAttribute('text-anchor', right ? 'end' : 'start');
    text.textContent = `${options.xLabel || 'x'} ${shown(x[i])}: ${series.map((s) => shown(s.values[i])).join(', ')}`;
    return text.textContent;
  };
  const hide = () => { for (const node of [line, text]) node.setAttribute('visibility', 'hidden'); };
  f.root.addEventListener('pointermove', (event) => {
    const box = f.root.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * f.width;
    let best = -1, distance = Infinity;
    for (const i of known) if (Math.abs(f.x(xs[i]) - at) < distance) { distance = Math.abs(f.x(xs[i]) - at); best = i; }
    if (best >= 0) read(best);
  });
  f.root.addEventListener('pointerleave', hide);
  return keyed(f.root, known.length, (k) => read(known[k]), hide, 'Arrow keys read the values.');
}

// A picture that the arrow keys read: `read` shows a place and returns its words; Space picks it.
function keyed(node, count, read, hide, hint, onpick, start = -1) {
  const told = el('p', { class: 'small told', role: 'status' });
  if (!count) return told;
  let at = start;
  node.setAttribute('tabindex', '0');
  // Words that come or go with the pointer would move what it is about to press.
  node.addEventListener('focus', () => { if (node.matches(':focus-visible')) told.textContent = at < 0 ? hint : read(at); });
  node.addEventListener('blur', hide);
  node.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10, Home: -count, End: count }[event.key];
    if (event.key === ' ' && onpick && at >= 0) { event.preventDefault(); onpick(at); return; }
    if (step === undefined) return;
    event.preventDefault();
    at = Math.max(0, Math.min(count - 1, at + step));
    told.textContent = read(at);
  });
  return told;
}

// Points that the arrow keys go through from left to right: a ring marks one, a line describes it.
export function walk(f, places, texts, onpick, start) {
  const order = places.map((_, i) => i).sort((a, b) => places[a][0] - places[b][0] || places[a][1] - places[b][1]);
  const ring = svg('circle', { class: 'ring', r: 9, visibility: 'hidden' });
  f.root.append(ring);
  const read = (k) => {
    const i = order[k];
    ring.setAttribute('cx', places[i][0]); ring.setAttribute('cy', places[i][1]); ring.setAttribute('visibility', 'visible');
    return texts[i];
  };
  const hint = `Arrow keys go from point to point${onpick ? ', Space chooses one' : ''}.`;
  return keyed(f.root, order.length, read, () => ring.setAttribute('visibility', 'hidden'), hint, onpick && ((k) => onpick(order[k])), order.indexOf(start));
}

// A matrix of colors, whose cells are read under the pointer or by the arrow keys.
export function heat(g, label, name) {
  const canvas = el('canvas', { role: 'img', 'aria-label': label, tabindex: '0' });
  const hint = `${g.shown ?? `${g.size} points`}; point at a cell to read it, or use the arrow keys.`;
  const text = el('p', { class: 'small', role: 'status' }, hint);
  const mark = el('div', { class: 'mark', hidden: true });
  paintCells(canvas, g.cells, g.size, g.low, g.high);
  let at = null;
  const read = (i, j) => { text.textContent = `k(${name(i)}, ${name(j)}) = ${shown(g.cells[i * g.size + j], 5)}`; };
  canvas.addEventListener('pointermove', (event) => {
    const r = canvas.getBoundingClientRect(), cell = (v, o, w) => Math.max(0, Math.min(g.size - 1, Math.floor(((v - o) / w) * g.size)));
    read(cell(event.clientY, r.top, r.height), cell(event.clientX, r.left, r.width));
  });
  canvas.addEventListener('keydown', (event) => {
    const jump = event.shiftKey ? 10 : 1;
    const step = { ArrowLeft: [0, -jump], ArrowRight: [0, jump], ArrowUp: [-jump, 0], ArrowDown: [jump, 0] }[event.key];
    if (!step) return;
    event.preventDefault();
    at = at ? at.map((v, k) => Math.max(0, Math.min(g.size - 1, v + step[k]))) : [0, 0];
    read(...at);
    const share = 100 / g.size;
    mark.hidden = false;
    for (const [side, value] of [['top', at[0] * share], ['left', at[1] * share], ['width', share], ['height', share]]) mark.style[side] = `${value}%`;
  });
  canvas.addEventListener('blur', () => { mark.hidden = true; });
  return el('div', {}, el('div', { class: 'gram' }, el('div', { class: 'heat' }, el('div', { class: 'under' }, canvas, mark), scaleOf(g.low, g.high))), text);
}

function dots(f, { x, y, colors, titles, size = 3 }) {
  x.forEach((v, i) => {
    if (!finite(v) || !finite(y[i])) return;
    const dot = svg('circle', { class: `dot c${(colors ? colors[i] ?? 7 : 7) % 8}`, cx: f.x(v).toFixed(1), cy: f.y(y[i]).toFixed(1), r: size, 'data-i': i });
    if (titles) dot.append(svg('title', {}, titles[i]));
    f.layer.append(dot);
  });
}

function walkDots(f, x, y, titles) {
  const known = [...x.keys()].filter((i) => finite(x[i]) && finite(y[i]));
  return walk(f, known.map((i) => [f.x(x[i]), f.y(y[i])]), known.map((i) => titles[i]));
}

// Points, with an optional diagonal.
export function scatter({ x, y, diagonal, horizontal, caption, names, colors, titles, size, intervals, ...options }) {
  const same = diagonal ? extent([x, y]) : null;
  const f = frame({ ...options, xRange: options.xRange ?? same ?? extent([x]), yRange: options.yRange ?? same ?? extent([y, intervals?.lower, intervals?.upper]) });
  if (diagonal) f.layer.append(svg('line', { class: 'reference', x1: f.x(same[0]), y1: f.y(same[0]), x2: f.x(same[1]), y2: f.y(same[1]) }));
  if (horizontal !== undefined) f.layer.append(svg('line', { class: 'reference', x1: f.m.left, x2: f.m.left + f.w, y1: f.y(horizontal), y2: f.y(horizontal) }));
  if (intervals) x.forEach((v, i) => {
    if (finite(intervals.lower[i])) f.layer.append(svg('line', { class: 'c0 faint', style: null, 'stroke-width': 1.2, x1: f.x(v), x2: f.x(v), y1: f.y(intervals.lower[i]), y2: f.y(intervals.upper[i]), stroke: 'var(--s0)' }));
  });
  f.layer.querySelectorAll('line.faint').forEach((node) => node.setAttribute('stroke', 'currentColor'));
  dots(f, { x, y, colors, titles, size });
  const node = figure(f.root, caption, names?.map((name, i) => [name, i]));
  if (titles) node.append(walkDots(f, x, y, titles));
  node.frame = f;
  return node;
}

// Bars from a low end, with a mark.
export function histogram({ low, high, counts, mark, caption, ...options }) {
  const width = (high - low) / counts.length;
  const f = frame({ ...options, xRange: extent([[low, high]], 0.02), yRange: [0, Math.max(...counts, 1) * 1.06] });
  counts.forEach((count, i) => {
    if (!count) return;
    const [x0, x1] = [f.x(low + i * width), f.x(low + (i + 1) * width)];
    f.layer.append(svg('rect', { class: 'c0', x: x0, width: Math.max(x1 - x0 - 0.6, 0.6), y: f.y(count), height: f.y(0) - f.y(count), opacity: 0.7 },
      svg('title', {}, `${count} of the permutations`)));
  });
  if (mark !== undefined && finite(mark)) {
    const px = f.x(mark);
    f.layer.append(svg('line', { class: 'c1', x1: px, x2: px, y1: f.m.top, y2: f.m.top + f.h, 'stroke-width': 2.5 }),
      svg('text', { x: px + (px > f.m.left + f.w / 2 ? -6 : 6), y: f.m.top + 14, 'text-anchor': px > f.m.left + f.w / 2 ? 'end' : 'start' }, `observed ${shown(mark)}`));
  }
  return figure(f.root, caption);
}

// Colors of numbers: dark blue to yellow, readable in both schemes.
const STOPS = [[48, 18, 99], [36, 90, 160], [30, 150, 140], [120, 195, 80], [250, 225, 60]];
export function color(share) {
  const at = Math.max(0, Math.min(1, share)) * (STOPS.length - 1), i = Math.min(Math.floor(at), STOPS.length - 2), t = at - i;
  return STOPS[i].map((v, k) => Math.round(v + t * (STOPS[i + 1][k] - v)));
}
const rgb = (c) => `rgb(${c[0]}, ${c[1]}, ${c[2]})`;

export function paintCells(canvas, cells, across, low, high) {
  const rows = cells.length / across;
  canvas.width = across; canvas.height = rows;
  const context = canvas.getContext('2d'), image = context.createImageData(across, rows);
  cells.forEach((v, i) => {
    const c = finite(v) ? color(high > low ? (v - low) / (high - low) : 0.5) : [128, 128, 128];
    image.data.set([c[0], c[1], c[2], 255], 4 * i);
  });
  context.putImageData(image, 0, 0);
}

export function scaleOf(low, high) {
  const canvas = el('canvas', { 'aria-hidden': 'true' });
  paintCells(canvas, Array.from({ length: 60 }, (_, i) => high - ((high - low) * i) / 59), 1, low, high);
  return el('div', { class: 'scale' }, el('span', {}, shown(high, 3)), canvas, el('span', {}, shown(low, 3)));
}

// The class regions or the values of a model over a plane, with the points of the data.
export function plane(p, label) {
  const f = frame({ width: 640, height: 430, xRange: p.x_range, yRange: p.y_range, xLabel: p.names[0], yLabel: p.names[1], label });
  const [cw, ch] = [f.w / p.across, f.h / p.upward];
  const classes = p.kind === 'classes';
  const numbers = p.cells.filter(finite);
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const levels = [...new Set(p.points.labels.filter((t) => t !== null))].sort();
  for (let i = 0; i < p.upward; i++) for (let j = 0; j < p.across; j++) {
    const v = p.cells[i * p.across + j];
    const at = { x: f.m.left + j * cw, y: f.m.top + f.h - (i + 1) * ch, width: cw + 0.4, height: ch + 0.4 };
    f.layer.append(classes ? svg('rect', { ...at, class: `c${v % 8} faint` })
      : svg('rect', { ...at, fill: rgb(color(high > low ? (v - low) / (high - low) : 0.5)), opacity: p.kind === 'decisions' && v < 0 ? 0.35 : 1 }));
  }
  const seen = classes ? p.points.labels.map((t) => levels.indexOf(t)) : null;
  const titles = p.points.rows.map((r, i) => `row ${r}${p.points.labels[i] !== null ? ': ' + p.points.labels[i] : ''}`);
  dots(f, { x: p.points.x, y: p.points.y, colors: seen, size: 3.4, titles });
  const legend = classes ? levels.map((t, i) => [t, i]) : null;
  const note = p.others_at_means ? 'The other inputs have their means.' : '';
  const node = figure(f.root, note, legend);
  node.append(walkDots(f, p.points.x, p.points.y, titles));
  if (!classes) return el('div', { class: 'heat plane' }, node, scaleOf(low, high));
  node.classList.add('plane');
  return node;
}

export { rgb, dots };
