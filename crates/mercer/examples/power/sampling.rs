//! The distributions of the published experiments.

use mercer::Stream;
use ndarray::Array2;

/// The perturbed uniform distribution on `[0, 1]^d`: density
/// `1 + c p^{−1} Σ_ν θ_ν Π_r G(p u_r − ν_r)` with `p` bumps per axis.
pub struct Perturbed {
    pub dimension: usize,
    pub bumps: usize,
    /// `c`.
    pub multiplier: f64,
    /// `θ_ν = ±1`, one for each cell.
    signs: Vec<f64>,
}

impl Perturbed {
    /// Random signs.
    pub fn new(dimension: usize, bumps: usize, multiplier: f64, random: &mut Stream) -> Self {
        let cells = bumps.pow(dimension as u32);
        let signs = (0..cells).map(|_| if random.below(2) == 0 { -1.0 } else { 1.0 }).collect();
        Self { dimension, bumps, multiplier, signs }
    }

    /// The density; the bumps of different cells do not overlap.
    fn density(&self, u: &[f64]) -> f64 {
        let p = self.bumps as f64;
        let (mut cell, mut bump) = (0, 1.0);
        for r in u {
            let index = ((p * r) as usize).min(self.bumps - 1);
            cell = cell * self.bumps + index;
            bump *= wave(p * r - (index + 1) as f64);
        }
        1.0 + self.multiplier / p * self.signs[cell] * bump
    }

    /// Points by rejection under `1 + c p^{−1} e^{−d}`.
    pub fn sample(&self, rows: usize, random: &mut Stream) -> Array2<f64> {
        let bound = 1.0 + self.multiplier / self.bumps as f64 * (-(self.dimension as f64)).exp();
        let mut values = Vec::with_capacity(rows * self.dimension);
        while values.len() < rows * self.dimension {
            let u: Vec<f64> = (0..self.dimension).map(|_| random.uniform()).collect();
            if random.uniform() * bound <= self.density(&u) {
                values.extend(u);
            }
        }
        Array2::from_shape_fn((rows, self.dimension), |(i, j)| values[i * self.dimension + j])
    }
}

/// `G` on `(−1, 0)`: a bump up, a bump down.
fn wave(t: f64) -> f64 {
    let bump = |s: f64| if s.abs() < 1.0 { (-1.0 / (1.0 - s * s)).exp() } else { 0.0 };
    if t < -0.5 { bump(4.0 * t + 3.0) } else { -bump(4.0 * t + 1.0) }
}

/// Uniform on `[0, 1]^d`.
pub fn uniform(rows: usize, columns: usize, random: &mut Stream) -> Array2<f64> {
    Array2::from_shape_fn((rows, columns), |_| random.uniform())
}

/// A mixture of four normal distributions at `(±20, ±20)`, one of which has another spread.
pub fn mixture(rows: usize, spread: f64, random: &mut Stream) -> Array2<f64> {
    let mut x = Array2::zeros((rows, 2));
    for mut row in x.rows_mut() {
        let component = random.below(4);
        let scale = if component == 0 { spread } else { 1.0 };
        for (axis, value) in row.iter_mut().enumerate() {
            let side = if component >> axis & 1 == 0 { 20.0 } else { -20.0 };
            *value = side + scale * random.normal();
        }
    }
    x
}
