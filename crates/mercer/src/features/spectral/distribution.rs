//! The distribution of one random frequency, as a tree that follows the algebra of kernels.

use ndarray::Array2;

use super::column::ColumnDistribution;
use super::counts::Counts;
use super::table::RadialTable;
use crate::features::sampling::Source;
use crate::kernel::closed_forms::Mixing;

/// A probability distribution on frequencies.
#[derive(Clone, Debug)]
pub(crate) enum FrequencyDistribution {
    /// `ω = 0`: the constant kernel.
    Zero,
    /// `ωⱼ = m gⱼ/ℓⱼ`, `g` standard normal.
    Radial {
        mixing: Mixing,
        /// `1/ℓⱼ`, one per column.
        scales: Vec<f64>,
        /// Which of the radial distributions of the tree this is.
        leaf: usize,
    },
    /// A uniform direction, the length from a table.
    Tabulated { table: RadialTable, scales: Vec<f64>, leaf: usize },
    /// Independent coordinates, each times its scale.
    Columns { distribution: ColumnDistribution, scales: Vec<f64> },
    /// On these columns, 0 on the others.
    On(Vec<usize>, Box<FrequencyDistribution>),
    /// `ω = Aᵀω′`.
    Mapped(Array2<f64>, Box<FrequencyDistribution>),
    /// A sum of independent frequencies.
    Sum(Vec<FrequencyDistribution>),
    /// A random number of independent frequencies with a common distribution, summed.
    Copies(Counts, Box<FrequencyDistribution>),
    /// One of several distributions, drawn by weight; the weights sum to 1.
    Mixture(Vec<(f64, FrequencyDistribution)>),
}

impl FrequencyDistribution {
    /// Adds a random frequency to `out`. With frames, normal vectors have the directions of
    /// orthogonal frames.
    pub(crate) fn draw(&self, source: &mut Source, mut frames: Option<&mut Frames>, out: &mut [f64]) {
        match self {
            Self::Zero => {}
            Self::Radial { mixing, scales, leaf } => {
                let factor = mixing.draw(source);
                let mut direction: Vec<f64> = scales.iter().map(|_| source.normal()).collect();
                if let Some(frames) = frames {
                    frames.turn(*leaf, &mut direction, source);
                }
                out.iter_mut().zip(direction.iter().zip(scales)).for_each(|(o, (g, s))| *o += factor * g * s);
            }
            Self::Tabulated { table, scales, leaf } => {
                let length = table.quantile(source.uniform());
                let mut direction: Vec<f64> = scales.iter().map(|_| source.normal()).collect();
                if let Some(frames) = frames {
                    frames.turn(*leaf, &mut direction, source);
                }
                let factor = length / dot(&direction, &direction).sqrt().max(f64::MIN_POSITIVE);
                out.iter_mut().zip(direction.iter().zip(scales)).for_each(|(o, (g, s))| *o += factor * g * s);
            }
            Self::Columns { distribution, scales } => {
                let positions = out.iter_mut().zip(scales).enumerate();
                positions.for_each(|(j, (o, s))| *o += s * distribution.draw(j, source));
            }
            Self::On(columns, distribution) => {
                let inner = distribution.draw_alone(columns.len(), source, frames);
                columns.iter().zip(inner).for_each(|(&j, w)| out[j] += w);
            }
            Self::Mapped(matrix, distribution) => {
                let inner = distribution.draw_alone(matrix.nrows(), source, frames);
                for (row, w) in matrix.rows().into_iter().zip(inner) {
                    out.iter_mut().zip(row).for_each(|(o, a)| *o += a * w);
                }
            }
            Self::Sum(distributions) => {
                distributions.iter().for_each(|distribution| distribution.draw(source, frames.as_deref_mut(), out))
            }
            // Several directions of one frame in one frequency would not be independent.
            Self::Copies(counts, distribution) => {
                (0..counts.draw(source.uniform())).for_each(|_| distribution.draw(source, None, out))
            }
            Self::Mixture(parts) => pick(parts, source.uniform()).draw(source, frames, out),
        }
    }

    fn draw_alone(&self, columns: usize, source: &mut Source, frames: Option<&mut Frames>) -> Vec<f64> {
        let mut inner = vec![0.0; columns];
        self.draw(source, frames, &mut inner);
        inner
    }

    /// Whether directions of frames enter somewhere.
    pub(crate) fn has_frames(&self) -> bool {
        match self {
            Self::Zero | Self::Columns { .. } | Self::Copies(..) => false,
            Self::Radial { .. } | Self::Tabulated { .. } => true,
            Self::On(_, distribution) | Self::Mapped(_, distribution) => distribution.has_frames(),
            Self::Sum(distributions) => distributions.iter().any(Self::has_frames),
            Self::Mixture(parts) => parts.iter().any(|(_, distribution)| distribution.has_frames()),
        }
    }
}

fn pick(parts: &[(f64, FrequencyDistribution)], u: f64) -> &FrequencyDistribution {
    let mut rest = u;
    for (weight, distribution) in parts {
        rest -= weight;
        if rest < 0.0 {
            return distribution;
        }
    }
    &parts[parts.len() - 1].1
}

/// Orthogonal frames, one in use for each radial distribution of a tree.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    in_use: Vec<Vec<Vec<f64>>>,
}

impl Frames {
    /// Returns a vector the direction of the next vector of its distribution's frame; the length
    /// stays.
    fn turn(&mut self, leaf: usize, vector: &mut [f64], source: &mut Source) {
        if self.in_use.len() <= leaf {
            self.in_use.resize_with(leaf + 1, Vec::new);
        }
        let frame = &mut self.in_use[leaf];
        if frame.is_empty() {
            *frame = random_frame(vector.len(), source);
        }
        if let Some(direction) = frame.pop() {
            let length = dot(vector, vector).sqrt();
            vector.iter_mut().zip(direction).for_each(|(v, q)| *v = length * q);
        }
    }
}

/// A uniformly random orthonormal frame: normal vectors, orthogonalized twice.
fn random_frame(size: usize, source: &mut Source) -> Vec<Vec<f64>> {
    let mut frame: Vec<Vec<f64>> = Vec::with_capacity(size);
    while frame.len() < size {
        let mut next: Vec<f64> = (0..size).map(|_| source.independent_normal()).collect();
        let before = dot(&next, &next);
        for known in frame.iter().chain(&frame) {
            let share = dot(known, &next);
            next.iter_mut().zip(known).for_each(|(v, k)| *v -= share * k);
        }
        let length = dot(&next, &next).sqrt();
        // A vector that lies in the span of the others (it never does) is drawn again.
        if length > 1e-8 * before.sqrt() {
            next.iter_mut().for_each(|v| *v /= length);
            frame.push(next);
        }
    }
    frame
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    ndarray::ArrayView1::from(a).dot(&ndarray::ArrayView1::from(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::features::Sampling;

    #[test]
    fn frames_are_orthonormal() {
        let mut source = Source::new(Seed(1).stream("frame", 0), Sampling::Orthogonal);
        let frame = random_frame(30, &mut source);
        for (i, a) in frame.iter().enumerate() {
            for (j, b) in frame.iter().enumerate() {
                let expected = if i == j { 1.0 } else { 0.0 };
                assert_close!(dot(a, b), expected, abs = 1e-14, "{i} {j}");
            }
        }
    }
}
