//! Products with block Toeplitz matrices: convolutions on a torus of at least twice the grid.

use ndarray::Array2;

use super::fft::{Fft, LANES, Lanes, root, smooth_length};
use crate::{Compute, Result};

/// Real columns that one task transforms: two per lane.
const COLUMNS: usize = 2 * LANES;

/// A grid inside a torus with at least twice its cells along every axis.
///
/// # Theory
/// A matrix whose entries depend on the difference of two cells is a corner of a circulant matrix,
/// which Fourier transforms diagonalize. The first axis is transformed as pairs of real columns, of
/// which half of the frequencies are kept; the other axes a slab at a time in a small buffer that is
/// never stored as a whole. A grid of one axis is taken as two (`j = j₁n₂ + j₂`), with the factors
/// `exp(−2πij₂k₁/n)` between them (Bailey's four steps), so that all threads have work.
#[derive(Clone, Debug)]
pub(super) struct Torus {
    /// The first axis: rows of the grid, and its transform.
    rows: usize,
    first: Fft,
    /// Entries of a row of the grid.
    columns: usize,
    rest: Vec<Axis>,
    twist: Option<Twist>,
}

#[derive(Clone, Debug)]
struct Axis {
    cells: usize,
    fft: Fft,
    /// Entries of the buffer from one cell to the next.
    stride: usize,
}

/// Eigenvalues of a circulant matrix over the size of the torus, in the order of the transforms:
/// for every frequency of the first axis a slab of the others.
#[derive(Clone, Debug)]
pub(super) struct Spectrum {
    pub(super) re: Vec<f64>,
    /// Absent for a symmetric matrix.
    pub(super) im: Option<Vec<f64>>,
}

impl Torus {
    pub(super) fn new(cells: &[usize]) -> Self {
        if let [n] = cells {
            let second = (1_usize << ((2 * n).ilog2() / 2)).max(1);
            let first = smooth_length((2 * n).div_ceil(second));
            let rest = axes(&[(second, second)]);
            let twist = Some(Twist::new(first * second));
            return Self { rows: n.div_ceil(second), first: Fft::new(first), columns: second, rest, twist };
        }
        let sizes: Vec<usize> = cells.iter().map(|&n| if n == 1 { 1 } else { smooth_length(2 * n) }).collect();
        let rest: Vec<(usize, usize)> = cells.iter().copied().zip(sizes.iter().copied()).skip(1).collect();
        Self {
            rows: cells[0],
            first: Fft::new(sizes[0]),
            columns: rest.iter().map(|(n, _)| n).product(),
            rest: axes(&rest),
            twist: None,
        }
    }

    /// The whole torus as a grid of its own.
    fn whole(&self) -> Self {
        let rest: Vec<(usize, usize)> = self.rest.iter().map(|a| (a.fft.len(), a.fft.len())).collect();
        Self { rows: self.first.len(), columns: self.slab(), rest: axes(&rest), ..self.clone() }
    }

    /// The lengths of the torus along the axes of the grid.
    pub(super) fn sizes(&self) -> Vec<usize> {
        match self.twist {
            Some(_) => vec![self.cells_of_torus()],
            None => [self.first.len()].into_iter().chain(self.rest.iter().map(|a| a.fft.len())).collect(),
        }
    }

    pub(super) fn cells_of_torus(&self) -> usize {
        self.first.len() * self.slab()
    }

    /// The length of what is convolved: the cells of the grid, filled up to whole rows.
    pub(super) fn len(&self) -> usize {
        self.rows * self.columns
    }

    /// Where a cell stands in the result of [`Torus::convolve`], which is transposed.
    pub(super) fn place(&self, cell: usize) -> usize {
        (cell % self.columns) * self.rows + cell / self.columns
    }

    /// Bytes of a convolution beside its argument.
    pub(super) fn bytes(&self, threads: usize) -> u64 {
        let half = 16 * (self.columns * self.frequencies()) as u64;
        2 * half + 8 * self.len() as u64 + 64 * (threads * (self.slab() + self.first.len())) as u64
    }

    /// Frequencies of the first axis that are kept.
    fn frequencies(&self) -> usize {
        self.first.len() / 2 + 1
    }

    /// Entries of the other axes on the torus.
    fn slab(&self) -> usize {
        self.rest.iter().map(|a| a.fft.len()).product()
    }

    /// The spectrum of the circulant matrix with this first column, in the order of the cells of the
    /// torus.
    pub(super) fn spectrum(&self, column: &[f64], symmetric: bool, compute: &Compute) -> Result<Spectrum> {
        let whole = self.whole();
        let half = whole.forward_first(column, compute)?;
        let (slab, frequencies) = (self.slab(), self.frequencies());
        let scale = 1.0 / self.cells_of_torus() as f64;
        let transformed = |part: usize, wanted: &(dyn Fn(&Lanes) -> [f64; LANES] + Sync), out: &mut [f64]| {
            let mut buffer = whole.gather_slab(&half, part);
            whole.forward_rest(&mut buffer);
            for (l, line) in out.chunks_exact_mut(slab).enumerate() {
                line.iter_mut().zip(&buffer).for_each(|(out, lanes)| *out = wanted(lanes)[l] * scale);
            }
        };
        let mut re = vec![0.0; frequencies * slab];
        compute.try_each_chunk(&mut re, LANES * slab, |part, out| {
            transformed(part, &|lanes| lanes.re, out);
            compute.check_canceled()
        })?;
        if symmetric {
            return Ok(Spectrum { re, im: None });
        }
        let mut im = vec![0.0; frequencies * slab];
        compute.each_chunk(&mut im, LANES * slab, |part, out| transformed(part, &|lanes| lanes.im, out));
        Ok(Spectrum { re, im: Some(im) })
    }

    /// `|û(ω)|²` over the length, for the columns of a matrix along one of several axes: a row per
    /// frequency in the order of the spectrum, those of the first axis that stand for two twice.
    pub(super) fn powers(&self, axis: usize, columns: &Array2<f64>, compute: &Compute) -> Array2<f64> {
        let fft = if axis == 0 { &self.first } else { &self.rest[axis - 1].fft };
        let (n, m) = (columns.ncols(), fft.len());
        let rows = if axis == 0 { self.frequencies() } else { m };
        let blocks = compute.map_tasks(n.div_ceil(LANES), |block| {
            let mut buffer = vec![Lanes::ZERO; m];
            let width = LANES.min(n - block * LANES);
            for (lanes, row) in buffer.iter_mut().zip(columns.rows()) {
                (0..width).for_each(|l| lanes.re[l] = row[block * LANES + l]);
            }
            fft.forward(&mut buffer);
            buffer
        });
        Array2::from_shape_fn((rows, n), |(k, j)| {
            let at = if axis == 0 { fft.position()[k] } else { k };
            let (z, l) = (&blocks[j / LANES][at], j % LANES);
            let twice = if axis == 0 && k > 0 && 2 * k != m { 2.0 } else { 1.0 };
            twice * (z.re[l] * z.re[l] + z.im[l] * z.im[l]) / m as f64
        })
    }

    /// The product of the circulant matrix with a vector on the grid, at the cells of the grid; in
    /// the order of [`Torus::place`]. With `transposed`, of the transpose of the matrix.
    pub(super) fn convolve(
        &self,
        spectrum: &Spectrum,
        transposed: bool,
        values: &[f64],
        compute: &Compute,
    ) -> Result<Vec<f64>> {
        let half = self.forward_first(values, compute)?;
        let mut middle = vec![[0.0; 2]; self.frequencies() * self.columns];
        compute.try_each_chunk(&mut middle, LANES * self.columns, |part, out| {
            let mut buffer = self.gather_slab(&half, part);
            self.forward_rest(&mut buffer);
            self.multiply(spectrum, transposed, part, &mut buffer);
            self.inverse_rest(&mut buffer);
            self.each_cell(&mut |cell, at| {
                for (l, line) in out.chunks_exact_mut(self.columns).enumerate() {
                    line[cell] = [buffer[at].re[l], buffer[at].im[l]];
                }
            });
            compute.check_canceled()
        })?;
        drop(half);
        let mut out = vec![0.0; self.len()];
        compute.try_each_chunk(&mut out, COLUMNS * self.rows, |part, out| {
            self.inverse_first(&middle, part, out);
            compute.check_canceled()
        })?;
        Ok(out)
    }

    /// The transforms of real columns along the first axis: frequencies `0 … n/2` of every column.
    fn forward_first(&self, values: &[f64], compute: &Compute) -> Result<Vec<[f64; 2]>> {
        let (n, frequencies, position) = (self.first.len(), self.frequencies(), self.first.position());
        let mut half = vec![[0.0; 2]; self.columns * frequencies];
        compute.try_each_chunk(&mut half, COLUMNS * frequencies, |part, out| {
            let start = part * COLUMNS;
            let mut buffer = vec![Lanes::ZERO; n];
            for (lanes, row) in buffer.iter_mut().zip(values.chunks(self.columns)) {
                let width = COLUMNS.min(self.columns - start).min(row.len().saturating_sub(start));
                for (l, v) in row.iter().skip(start).take(width).enumerate() {
                    if l % 2 == 0 { lanes.re[l / 2] = *v } else { lanes.im[l / 2] = *v }
                }
            }
            self.first.forward(&mut buffer);
            for (c, line) in out.chunks_exact_mut(frequencies).enumerate() {
                for (k, out) in line.iter_mut().enumerate() {
                    let (z, mirror) = (&buffer[position[k]], &buffer[position[(n - k) % n]]);
                    let (l, half) = (c / 2, 0.5);
                    let (re, im) = ((z.re[l], z.im[l]), (mirror.re[l], mirror.im[l]));
                    *out = match c % 2 {
                        0 => [half * (re.0 + im.0), half * (re.1 - im.1)],
                        _ => [half * (re.1 + im.1), half * (im.0 - re.0)],
                    };
                    if let Some(twist) = &self.twist {
                        *out = turned(*out, twist.at((start + c) * k));
                    }
                }
            }
            compute.check_canceled()
        })?;
        Ok(half)
    }

    /// Back along the first axis: a block of real columns, one after the other.
    fn inverse_first(&self, middle: &[[f64; 2]], part: usize, out: &mut [f64]) {
        let (n, frequencies, position) = (self.first.len(), self.frequencies(), self.first.position());
        let start = part * COLUMNS;
        let width = out.len() / self.rows;
        let mut buffer = vec![Lanes::ZERO; n];
        for k in 0..frequencies {
            let line = &middle[k * self.columns + start..k * self.columns + start + width];
            let (at, mirror) = (position[k], position[(n - k) % n]);
            for (c, value) in line.iter().enumerate() {
                let [re, im] = match &self.twist {
                    Some(twist) => {
                        let [cos, sin] = twist.at((start + c) * k);
                        turned(*value, [cos, -sin])
                    }
                    None => *value,
                };
                let l = c / 2;
                // z = a + ib from the spectra of two real columns; the second half by symmetry.
                let (straight, mirrored) = if c % 2 == 0 { ([re, im], [re, -im]) } else { ([-im, re], [im, re]) };
                buffer[at].re[l] += straight[0];
                buffer[at].im[l] += straight[1];
                if mirror != at {
                    buffer[mirror].re[l] += mirrored[0];
                    buffer[mirror].im[l] += mirrored[1];
                }
            }
        }
        self.first.inverse(&mut buffer);
        for (c, column) in out.chunks_exact_mut(self.rows).enumerate() {
            for (v, lanes) in column.iter_mut().zip(&buffer) {
                *v = if c % 2 == 0 { lanes.re[c / 2] } else { lanes.im[c / 2] };
            }
        }
    }

    /// Some frequencies of the first axis, on the torus of the others.
    fn gather_slab(&self, half: &[[f64; 2]], part: usize) -> Vec<Lanes> {
        let (frequencies, first) = (self.frequencies(), part * LANES);
        let width = LANES.min(frequencies - first);
        let mut buffer = vec![Lanes::ZERO; self.slab()];
        self.each_cell(&mut |cell, at| {
            let line = &half[cell * frequencies + first..cell * frequencies + first + width];
            for (l, [re, im]) in line.iter().enumerate() {
                buffer[at].re[l] = *re;
                buffer[at].im[l] = *im;
            }
        });
        buffer
    }

    fn multiply(&self, spectrum: &Spectrum, transposed: bool, part: usize, buffer: &mut [Lanes]) {
        let slab = self.slab();
        let lines = part * LANES..self.frequencies().min((part + 1) * LANES);
        for (l, k) in lines.enumerate() {
            let re = &spectrum.re[k * slab..(k + 1) * slab];
            match &spectrum.im {
                None => buffer.iter_mut().zip(re).for_each(|(z, s)| {
                    z.re[l] *= s;
                    z.im[l] *= s;
                }),
                Some(im) => {
                    for ((z, re), im) in buffer.iter_mut().zip(re).zip(&im[k * slab..(k + 1) * slab]) {
                        let factor = [*re, if transposed { -im } else { *im }];
                        [z.re[l], z.im[l]] = turned([z.re[l], z.im[l]], factor);
                    }
                }
            }
        }
    }

    /// The last axis first, and of the axes before it the cells of the grid alone: the others are 0.
    fn forward_rest(&self, buffer: &mut [Lanes]) {
        for axis in (0..self.rest.len()).rev() {
            self.each_line(axis, buffer, Fft::forward);
        }
    }

    fn inverse_rest(&self, buffer: &mut [Lanes]) {
        for axis in 0..self.rest.len() {
            self.each_line(axis, buffer, Fft::inverse);
        }
    }

    fn each_line(&self, axis: usize, buffer: &mut [Lanes], transform: impl Fn(&Fft, &mut [Lanes])) {
        let Axis { fft, stride, .. } = &self.rest[axis];
        let mut line = vec![Lanes::ZERO; fft.len()];
        each_start(&self.rest[..axis], &mut |start| {
            if *stride == 1 {
                return transform(fft, &mut buffer[start..start + fft.len()]);
            }
            for first in start..start + stride {
                line.iter_mut().enumerate().for_each(|(k, v)| *v = buffer[first + k * stride]);
                transform(fft, &mut line);
                line.iter().enumerate().for_each(|(k, v)| buffer[first + k * stride] = *v);
            }
        });
    }

    /// The cells of a row of the grid in order, with their places in the buffer.
    fn each_cell(&self, visit: &mut dyn FnMut(usize, usize)) {
        let Some((last, before)) = self.rest.split_last() else { return visit(0, 0) };
        let mut cell = 0;
        each_start(before, &mut |start| {
            for j in 0..last.cells {
                visit(cell, start + j);
                cell += 1;
            }
        });
    }
}

/// The places of all cells of some axes, at 0 of the others.
fn each_start(axes: &[Axis], visit: &mut dyn FnMut(usize)) {
    fn down(axes: &[Axis], start: usize, visit: &mut dyn FnMut(usize)) {
        match axes.split_first() {
            None => visit(start),
            Some((axis, rest)) => (0..axis.cells).for_each(|j| down(rest, start + j * axis.stride, visit)),
        }
    }
    down(axes, 0, visit);
}

fn axes(lengths: &[(usize, usize)]) -> Vec<Axis> {
    let stride = |at: usize| lengths[at + 1..].iter().map(|(_, m)| m).product();
    lengths.iter().enumerate().map(|(at, &(cells, m))| Axis { cells, fft: Fft::new(m), stride: stride(at) }).collect()
}

fn turned([re, im]: [f64; 2], [c, s]: [f64; 2]) -> [f64; 2] {
    [re * c - im * s, re * s + im * c]
}

/// `exp(−2πit/n)` from two short tables.
#[derive(Clone, Debug)]
struct Twist {
    n: usize,
    coarse: Vec<[f64; 2]>,
    fine: Vec<[f64; 2]>,
}

/// Entries of the fine table.
const FINE: usize = 1024;

impl Twist {
    fn new(n: usize) -> Self {
        let coarse = (0..n.div_ceil(FINE)).map(|t| root(t * FINE, n)).collect();
        Self { n, coarse, fine: (0..FINE.min(n)).map(|t| root(t, n)).collect() }
    }

    fn at(&self, t: usize) -> [f64; 2] {
        let t = t % self.n;
        turned(self.coarse[t / FINE], self.fine[t % FINE])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `Σ k(i − j)v(j)` over the cells, by the definition.
    fn direct(cells: &[usize], k: impl Fn(&[i64]) -> f64, v: &[f64]) -> Vec<f64> {
        let index = |mut i: usize| {
            let mut at: Vec<i64> = cells
                .iter()
                .rev()
                .map(|n| {
                    let r = i % n;
                    i /= n;
                    r as i64
                })
                .collect();
            at.reverse();
            at
        };
        let difference = |i: usize, j: usize| index(i).iter().zip(index(j)).map(|(a, b)| a - b).collect::<Vec<_>>();
        (0..v.len()).map(|i| (0..v.len()).map(|j| k(&difference(i, j)) * v[j]).sum()).collect()
    }

    #[test]
    fn convolutions_are_those_of_the_definition() {
        let compute = Compute::new();
        let cases: [&[usize]; 8] = [&[1], &[2], &[7], &[50], &[5, 9], &[4, 1], &[3, 4, 5], &[2, 3, 1, 4]];
        for cells in cases {
            for symmetric in [true, false] {
                let k = |d: &[i64]| {
                    let s: f64 = d.iter().enumerate().map(|(a, &d)| d as f64 * (1.0 + a as f64)).sum();
                    (-0.1 * s * s).exp() + if symmetric { 0.0 } else { 0.3 * (0.2 * s).sin() }
                };
                let torus = Torus::new(cells);
                let sizes = torus.sizes();
                let column: Vec<f64> = (0..torus.cells_of_torus())
                    .map(|mut i| {
                        let mut offset: Vec<i64> = sizes
                            .iter()
                            .rev()
                            .map(|&m| {
                                let r = i % m;
                                i /= m;
                                if 2 * r > m { r as i64 - m as i64 } else { r as i64 }
                            })
                            .collect();
                        offset.reverse();
                        k(&offset)
                    })
                    .collect();
                let spectrum = torus.spectrum(&column, symmetric, &compute).unwrap();
                let n: usize = cells.iter().product();
                let v: Vec<f64> = (0..n).map(|i| (i as f64 * 1.7).sin()).collect();
                let mut padded = v.clone();
                padded.resize(torus.len(), 0.0);
                for transposed in [false, true] {
                    let found = torus.convolve(&spectrum, transposed, &padded, &compute).unwrap();
                    let sign = if transposed { -1 } else { 1 };
                    let turned = |d: &[i64]| k(&d.iter().map(|d| sign * d).collect::<Vec<_>>());
                    let expected = direct(cells, turned, &v);
                    for (i, e) in expected.iter().enumerate() {
                        assert_close!(found[torus.place(i)], *e, abs = 1e-12, "{cells:?} {i}");
                    }
                }
            }
        }
    }
}
