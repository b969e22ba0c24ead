//! Sums, products and forms of the matrices of several kernels.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

use super::blocks::{Block, BlockList, Shift, weighted_sum};
use super::grams::{Grams, Store, block_rows};
use super::made::Products;
use crate::gram::{KernelFamily, Pairs};
use crate::{Compute, Kernel, Points, Result};

impl Grams<'_> {
    /// What `visit` gathers of the blocks of some kernels, task by task.
    fn each_block<R: Send>(
        &self,
        which: &[usize],
        compute: &Compute,
        new: impl Fn() -> R + Sync,
        visit: impl Fn(&mut R, usize, &Block<'_>) + Sync,
    ) -> Result<Vec<R>> {
        let family = match self.store {
            Store::Recomputed => {
                let kernels: Vec<Kernel> = which.iter().map(|&m| self.kernels[m].clone()).collect();
                Some(KernelFamily::new(&kernels, Pairs::Within(self.x), compute)?)
            }
            _ => None,
        };
        let shifts: Vec<&Shift> = which.iter().map(|&m| &self.shifts[m]).collect();
        let tasks = self.blocks.tasks();
        compute.try_map_tasks(tasks.len(), |task| {
            let (mut gathered, mut values) = (new(), Vec::new());
            for block in tasks[task].clone() {
                compute.check_canceled()?;
                match (&self.store, &family) {
                    (Store::Double(all), _) => {
                        let all = self.blocks.parts(block, &all[block]);
                        visit(&mut gathered, block, &Block::Double(which.iter().map(|&m| all[m]).collect()));
                    }
                    (Store::Single(all), _) => {
                        let all = self.blocks.parts(block, &all[block]);
                        visit(&mut gathered, block, &Block::Single(which.iter().map(|&m| all[m]).collect()));
                    }
                    (Store::Recomputed, Some(family)) => {
                        self.blocks.fill(family, block, &mut values);
                        self.blocks.shift(block, &mut values, &shifts);
                        visit(&mut gathered, block, &Block::Double(self.blocks.parts(block, &values)));
                    }
                    (Store::Recomputed, None) => {}
                }
            }
            Ok(gathered)
        })
    }

    /// `Σ βₘKₘ`.
    pub(super) fn combine(&self, which: &[usize], beta: &[f64], compute: &Compute) -> Result<Array2<f64>> {
        let n = self.len();
        if which.is_empty() {
            return Ok(Array2::zeros((n, n)));
        }
        let factors: Vec<f64> = which.iter().zip(beta).map(|(&m, b)| b * self.factor(m)).collect();
        let (mut means, mut grand) = (vec![0.0; n], 0.0);
        for (&m, factor) in which.iter().zip(&factors) {
            let (own, all) = &self.means[m];
            means.iter_mut().zip(own).for_each(|(sum, mean)| *sum += factor * mean);
            grand += factor * all;
        }
        let sums = self.each_block(which, compute, Vec::new, |sums, block, parts| {
            let mut sum = match parts {
                Block::Double(parts) => weighted_sum(parts, &factors),
                Block::Single(parts) => weighted_sum(parts, &factors),
            };
            let rows = self.blocks.range(block);
            for (values, columns) in sum.iter_mut().zip([rows.clone(), rows.end..n]) {
                for (i, row) in rows.clone().zip(values.chunks_exact_mut(columns.len().max(1))) {
                    row.iter_mut().zip(&means[columns.clone()]).for_each(|(v, mean)| *v += grand - (means[i] + mean));
                }
            }
            sums.push((rows, sum));
        })?;
        let mut matrix = Array2::zeros((n, n));
        let values = matrix.as_slice_mut().expect("a matrix of its own");
        for (rows, [among, beyond]) in sums.into_iter().flatten() {
            let (size, width) = (rows.len(), n - rows.end);
            for (at, i) in rows.clone().enumerate() {
                values[i * n + rows.start..i * n + rows.end].copy_from_slice(&among[at * size..(at + 1) * size]);
                values[i * n + rows.end..(i + 1) * n].copy_from_slice(&beyond[at * width..(at + 1) * width]);
            }
            for (at, column) in (rows.end..n).enumerate() {
                let mirrored = &mut values[column * n + rows.start..column * n + rows.end];
                mirrored.iter_mut().enumerate().for_each(|(row, v)| *v = beyond[row * width + at]);
            }
        }
        Ok(matrix)
    }

    /// `KₘV` for some kernels; if it is `sparse`, at least at the rows where `V` is not 0.
    pub(super) fn images(
        &self,
        which: &[usize],
        v: ArrayView2<f64>,
        sparse: bool,
        compute: &Compute,
    ) -> Result<Vec<Array2<f64>>> {
        let (n, count) = v.dim();
        let x: Vec<f64> = v.iter().copied().collect();
        let new = || vec![0.0; which.len() * n * count];
        let parts = self.each_block(which, compute, new, |sums, block, parts| {
            let (rows, sums) = (self.blocks.range(block), sums.chunks_exact_mut((n * count).max(1)));
            match parts {
                Block::Double(parts) => {
                    parts.iter().zip(sums).for_each(|(p, sum)| p.multiply(&rows, &x, sum, count, sparse))
                }
                Block::Single(parts) => {
                    parts.iter().zip(sums).for_each(|(p, sum)| p.multiply(&rows, &x, sum, count, sparse))
                }
            }
        })?;
        let total = v.sum_axis(Axis(0));
        let centered = |(at, &m): (usize, &usize)| {
            let size = n * count;
            let mut image = Array2::zeros((n, count));
            for part in &parts {
                image.iter_mut().zip(&part[at * size..]).for_each(|(sum, v)| *sum += v);
            }
            let (means, grand) = (ArrayView1::from(&self.means[m].0), self.means[m].1);
            let constant = &total * grand - means.dot(&v);
            for (mut row, mean) in image.rows_mut().into_iter().zip(means) {
                row += &constant;
                row.scaled_add(-mean, &total);
            }
            image * self.factor(m)
        };
        Ok(which.iter().enumerate().map(centered).collect())
    }

    /// `Σ VᵀKₘV` over the columns of `V`, for some kernels.
    pub(super) fn forms(&self, which: &[usize], v: ArrayView2<f64>, compute: &Compute) -> Result<Vec<f64>> {
        let (n, x) = (self.len(), by_columns(v));
        let parts = self.each_block(
            which,
            compute,
            || vec![0.0; which.len()],
            |sums, block, parts| {
                let rows = self.blocks.range(block);
                match parts {
                    Block::Double(parts) => sums.iter_mut().zip(parts).for_each(|(s, p)| *s += p.form(&rows, &x, n)),
                    Block::Single(parts) => sums.iter_mut().zip(parts).for_each(|(s, p)| *s += p.form(&rows, &x, n)),
                }
            },
        )?;
        let total = v.sum_axis(Axis(0));
        let centered = |(at, &m): (usize, &usize)| {
            let raw: f64 = parts.iter().map(|part| part[at]).sum();
            let (means, grand) = (ArrayView1::from(&self.means[m].0), self.means[m].1);
            let off: f64 = means.dot(&v).iter().zip(&total).map(|(mean, sum)| sum * (grand * sum - 2.0 * mean)).sum();
            (self.factor(m) * (raw + off)).max(0.0)
        };
        Ok(which.iter().enumerate().map(centered).collect())
    }

    /// `Σᵢⱼ vᵢvⱼKₘ(i, j)Kₗ(i, j)` for all pairs of some kernels, and the forms with the targets that were
    /// asked for.
    pub(super) fn products(&self, which: &[usize]) -> Option<(Array2<f64>, Vec<f64>)> {
        let Products { pairs, forms } = self.products.as_ref()?;
        let total: f64 = self.rows.iter().sum();
        let means = Array2::from_shape_fn((which.len(), self.len()), |(at, i)| {
            self.means[which[at]].0[i] * (2.0 * total * self.rows[i]).sqrt()
        });
        let off = means.dot(&means.t());
        let pair = |(a, b): (usize, usize)| {
            let (m, l) = (which[a], which[b]);
            let grand = total * self.means[m].1 * total * self.means[l].1;
            self.factor(m) * self.factor(l) * (pairs[[m.min(l), m.max(l)]] - off[[a, b]] + grand)
        };
        let forms = which.iter().map(|&m| self.factor(m) * forms[m]).collect();
        Some((Array2::from_shape_fn((which.len(), which.len()), pair), forms))
    }
}

/// `Σ VᵀKₘV` over the columns of `V`, of kernels as they are.
pub(super) fn forms_of(kernels: &[Kernel], x: Points<'_>, v: ArrayView2<f64>, compute: &Compute) -> Result<Vec<f64>> {
    let family = KernelFamily::new(kernels, Pairs::Within(x), compute)?;
    let (n, columns) = (x.len(), by_columns(v));
    let blocks = BlockList::new(n, block_rows(kernels.len(), n, compute));
    let tasks = blocks.tasks();
    let parts = compute.try_map_tasks(tasks.len(), |task| {
        let (mut sums, mut values) = (vec![0.0; kernels.len()], Vec::new());
        for block in tasks[task].clone() {
            compute.check_canceled()?;
            blocks.fill(&family, block, &mut values);
            let parts = blocks.parts(block, &values);
            sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part.form(&blocks.range(block), &columns, n));
        }
        Ok(sums)
    })?;
    Ok((0..kernels.len()).map(|m| parts.iter().map(|part: &Vec<f64>| part[m]).sum::<f64>().max(0.0)).collect())
}

/// Column after column.
pub(super) fn by_columns(v: ArrayView2<f64>) -> Vec<f64> {
    v.t().iter().copied().collect()
}
