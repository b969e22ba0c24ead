//! The same features in single precision.

use ndarray::{ArrayView1, ArrayView2};

use super::spec::FourierForm;
use super::transform::{FREQUENCIES, FourierFeatures};
use crate::gram::simd;

/// The frequencies, offsets and amplitudes of a map, rounded.
pub(super) struct Single {
    pairs: bool,
    columns: usize,
    frequencies: Vec<f32>,
    offsets: Vec<f32>,
    amplitudes: Vec<f32>,
}

fn rounded(values: ArrayView1<f64>) -> Vec<f32> {
    values.iter().map(|v| *v as f32).collect()
}

impl Single {
    pub(super) fn new(map: &FourierFeatures) -> Self {
        Self {
            pairs: map.form() == FourierForm::Pair,
            columns: map.frequencies().ncols(),
            frequencies: map.frequencies().iter().map(|v| *v as f32).collect(),
            offsets: rounded(map.offsets()),
            amplitudes: rounded(map.amplitudes()),
        }
    }

    /// Writes the features of a block of points; a row of `out` is `[cosines | sines]` for pairs,
    /// the last cosine perhaps without a sine.
    pub(super) fn fill(&self, x: ArrayView2<f64>, out: &mut [f32]) {
        let (rows, count) = (x.nrows(), self.amplitudes.len());
        let points: Vec<f32> = x.iter().map(|v| *v as f32).collect();
        let (mut phases, mut spare) = (vec![0.0; rows * FREQUENCIES], vec![0.0; FREQUENCIES]);
        let width = if self.pairs { 2 * count - self.offsets.len() } else { count };
        for start in (0..count).step_by(FREQUENCIES) {
            let end = count.min(start + FREQUENCIES);
            let phases = &mut phases[..rows * (end - start)];
            self.phases(&points, start..end, phases);
            for (line, phases) in out.chunks_exact_mut(width).zip(phases.chunks_exact_mut(end - start)) {
                self.sines_cosines(start..end, phases, line, &mut spare);
            }
        }
    }

    fn phases(&self, points: &[f32], chosen: std::ops::Range<usize>, phases: &mut [f32]) {
        let frequencies = &self.frequencies[chosen.start * self.columns..chosen.end * self.columns];
        simd::matmul::rows_times_rows(points, frequencies, self.columns, phases);
    }

    fn sines_cosines(&self, chosen: std::ops::Range<usize>, phases: &mut [f32], line: &mut [f32], spare: &mut [f32]) {
        let amplitudes = &self.amplitudes[chosen.clone()];
        if self.pairs {
            let (cosines, sines) = line.split_at_mut(self.amplitudes.len());
            let pairs = chosen.start..chosen.end.min(sines.len());
            let ((phases, alone), (amplitudes, last)) =
                (phases.split_at_mut(pairs.len()), amplitudes.split_at(pairs.len()));
            simd::sines_cosines(phases, amplitudes, &mut cosines[pairs.clone()], &mut sines[pairs.clone()]);
            alone.iter_mut().zip(&self.offsets).for_each(|(t, b)| *t += b);
            simd::sines_cosines(alone, last, &mut cosines[pairs.end..chosen.end], &mut spare[..alone.len()]);
        } else {
            phases.iter_mut().zip(&self.offsets[chosen.clone()]).for_each(|(t, b)| *t += b);
            simd::sines_cosines(phases, amplitudes, &mut line[chosen.clone()], &mut spare[..chosen.len()]);
        }
    }
}
