//! Candidate point sets of the search for counterexamples.

use ndarray::{Array2, Axis, concatenate};

use super::region::DomainBox;
use crate::kernel::Kernel;
use crate::{Seed, Stream};

/// The most scales that are read off the numbers in the expression.
/// Any value between 5 and 20 would do: expressions rarely have more numbers.
const MAX_NATURAL: usize = 10;

/// Lengths at which something may happen: powers of `√10` from 10⁻³ to 10³, and the numbers in the
/// expression.
pub(super) struct Scales {
    natural: Vec<f64>,
    all: Vec<f64>,
}

impl Scales {
    pub(super) fn of(kernel: &Kernel) -> Self {
        let mut natural = Vec::new();
        collect_numbers(kernel, &mut natural);
        natural.sort_by(f64::total_cmp);
        natural.dedup();
        natural.truncate(MAX_NATURAL);
        let decades = (-6..=6).map(|k| 10_f64.powf(0.5 * f64::from(k)));
        let all = natural.iter().copied().chain(decades).collect();
        Self { natural, all }
    }
}

/// The numbers in an expression as lengths: a lengthscale or a radius `v`, and `1/√v` for what
/// multiplies `‖x‖²`.
fn collect_numbers(kernel: &Kernel, found: &mut Vec<f64>) {
    let mut add = |value: f64| {
        if value.is_finite() && value > 0.0 {
            found.extend([value, 1.0 / value.sqrt()]);
        }
    };
    if let Kernel::Base(base) = kernel {
        for (_, text) in base.arguments() {
            text.split([',', '[', ']', ' ']).filter_map(|word| word.parse::<f64>().ok()).for_each(|v| add(v.abs()));
        }
    }
    if let Kernel::Schoenberg(t, _) = kernel {
        add(t.get());
    }
    kernel.children().into_iter().for_each(|k| collect_numbers(k, found));
}

/// The number of rounds: from few points to many.
pub(super) const ROUNDS: usize = 4;

/// The point sets of one round, in a fixed order.
pub(super) fn round(index: usize, scales: &Scales, region: &DomainBox, seed: Seed) -> Vec<Array2<f64>> {
    let lengths: Vec<f64> = match index {
        // Long grids resolve low frequencies; they are worth their cost at the scales of the kernel
        // itself.
        3 => scales.natural.iter().flat_map(|s| [0.25 * s, 0.5 * s, *s, 2.0 * s]).chain([0.1, 1.0]).collect(),
        _ => scales.all.clone(),
    };
    let size = [5, 12, 30, 80][index.min(ROUNDS - 1)];
    let sets = lengths.iter().enumerate().flat_map(|(i, &length)| {
        let task = (index * 1000 + i) as u64 * 100 + region.columns() as u64;
        families(index, size, region.columns(), length, &mut seed.stream("adversarial points", task))
    });
    sets.map(|points| region.fit(points)).collect()
}

fn families(index: usize, n: usize, d: usize, length: f64, stream: &mut Stream) -> Vec<Array2<f64>> {
    let mut sets = vec![axis_grid(n, d, length), centered_grid(n, d, length)];
    if index < 3 {
        sets.push(cloud(n, d, length, |s| s.normal(), stream));
        sets.push(cloud(n, d, length, |s| 2.0 * s.uniform() - 1.0, stream));
        sets.push(clusters(n, d, length, stream));
    }
    if d > 1 && index > 0 {
        sets.push(lattice(n, d, length));
    }
    // With the diagonal of a square as the support of a kernel, only neighbors are seen: weights of alternating sign show
    // that it has a negative frequency.
    let side = length * std::f64::consts::FRAC_1_SQRT_2;
    if d > 1 && index == ROUNDS - 1 {
        sets.push(lattice(n, d, side));
    }
    if d > 3 && index == ROUNDS - 1 {
        sets.push(cube(d, side));
    }
    sets
}

/// `0, h, 2h, …` in every column.
fn axis_grid(n: usize, d: usize, h: f64) -> Array2<f64> {
    Array2::from_shape_fn((n, d), |(i, _)| i as f64 * h)
}

/// `…, −h, 0, h, …` in the first column, 0 in the others.
fn centered_grid(n: usize, d: usize, h: f64) -> Array2<f64> {
    Array2::from_shape_fn((n, d), |(i, j)| if j == 0 { (i as f64 - (n / 2) as f64) * h } else { 0.0 })
}

fn cloud(n: usize, d: usize, length: f64, draw: fn(&mut Stream) -> f64, stream: &mut Stream) -> Array2<f64> {
    Array2::from_shape_fn((n, d), |_| length * draw(stream))
}

/// Three tight groups far apart.
fn clusters(n: usize, d: usize, length: f64, stream: &mut Stream) -> Array2<f64> {
    let centers = cloud(3, d, 3.0 * length, |s| s.normal(), stream);
    let spread = cloud(n, d, 0.1 * length, |s| s.normal(), stream);
    let rows: Vec<_> = (0..n).map(|i| (&centers.row(i % 3) + &spread.row(i)).insert_axis(Axis(0))).collect();
    let views: Vec<_> = rows.iter().map(|r| r.view()).collect();
    concatenate(Axis(0), &views).unwrap_or(spread)
}

/// The vertices of a cube in the first columns, at most six.
fn cube(d: usize, side: f64) -> Array2<f64> {
    let used = d.min(6);
    Array2::from_shape_fn((1 << used, d), |(i, j)| if j < used && i >> j & 1 == 1 { side } else { 0.0 })
}

/// The first `n` points of the square lattice in the first two columns.
fn lattice(n: usize, d: usize, h: f64) -> Array2<f64> {
    let side = (n as f64).sqrt().ceil() as usize;
    let position = |i: usize, j: usize| [i % side, i / side].get(j).map_or(0.0, |&k| k as f64 * h);
    Array2::from_shape_fn((n, d), |(i, j)| position(i, j))
}
