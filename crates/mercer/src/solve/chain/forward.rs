//! The forward pass: the distribution of the state `zᵢ` given the nodes up to `i`, as a triangular
//! array.

use super::gap::{Gap, UnitRoot, derivative_gap};
use super::triangle::{LogProduct, inverse_upper, triangularize};
use super::{Chain, Link, Node};

/// What is known about the last state.
pub(super) struct End<const M: usize> {
    pub mean: [f64; M],
    /// Its covariance is the square of this upper triangular root.
    pub root: [[f64; M]; M],
    pub objective: f64,
    pub log_root: f64,
}

/// Rows `r·(z, p) = b` with unit noise: what is known so far.
struct Information<const D: usize> {
    r: [[f64; D]; D],
    b: [f64; D],
}

impl<const M: usize, const D: usize, const R: usize> Chain<M, D, R> {
    pub(super) fn forward(&mut self, lambda: f64) -> End<M> {
        let unit = UnitRoot::<M>::new();
        let mut known = self.start(&unit);
        let mut log_root = LogProduct::new();
        let mut objective = 0.0;
        let mut gap = Gap { back: derivative_gap(0.0), root: [[0.0; M]; M] };
        for i in 0..self.nodes.len() {
            if i > 0 {
                gap = unit.gap(self.nodes[i].t - self.nodes[i - 1].t);
            }
            let mut work = Self::array(&known, &gap, &self.nodes[i], lambda);
            // The observation does not see ε: its row waits for the columns of the state.
            triangularize(&mut work, 0..M, R - 1);
            triangularize(&mut work, M..R - 1, R);
            self.links[i] = Self::link(&work);
            (0..M).for_each(|k| log_root.multiply(work[k][k]));
            objective += work[R - 1][R - 1].powi(2);
            known = Self::rest(&work);
        }
        let (mut end, misfit) = Self::finish(&known);
        (0..M).for_each(|k| log_root.multiply(1.0 / end.root[k][k]));
        end.objective = lambda * (objective + misfit);
        end.log_root = log_root.ln();
        end
    }

    /// An open chain has no constraint; in a closed one `z₀ − A p` is the noise of the gap around
    /// the end.
    fn start(&self, unit: &UnitRoot<M>) -> Information<D> {
        let mut known = Information { r: [[0.0; D]; D], b: [0.0; D] };
        let Some(h) = self.closing_gap() else { return known };
        let (whiten, step) = (inverse_lower(&unit.gap(h).root), derivative_gap::<M>(h));
        for i in 0..M {
            for j in 0..M {
                known.r[i][j] = whiten[i][j];
                known.r[i][M + j] = -(0..M).map(|k| whiten[i][k] * step[k][j]).sum::<f64>();
            }
        }
        known
    }

    /// The rows in the unknowns `(ε, z, p)`: what was known, with `z_{i−1} = A⁻¹(zᵢ − Lε)`;
    /// `ε = 0`; the observation.
    #[inline(always)]
    fn array(known: &Information<D>, gap: &Gap<M>, node: &Node, lambda: f64) -> [[f64; R]; R] {
        let mut work = [[0.0; R]; R];
        for i in 0..D {
            for j in 0..M {
                let mut moved = 0.0;
                for k in 0..=j {
                    moved += known.r[i][k] * gap.back[k][j];
                }
                work[i][M + j] = moved;
                for k in 0..=j {
                    work[i][k] -= moved * gap.root[j][k];
                }
            }
            work[i][2 * M..M + D].copy_from_slice(&known.r[i][M..D]);
            work[i][R - 1] = known.b[i];
        }
        for k in 0..M {
            work[D + k][k] = 1.0;
        }
        let root = (node.weight / lambda).sqrt();
        work[R - 1][M] = root;
        work[R - 1][R - 1] = root * node.y;
        work
    }

    #[inline(always)]
    fn link(work: &[[f64; R]; R]) -> Link<M, D> {
        let noise = inverse_upper::<M, R>(work);
        let mut link = Link { gain: [[0.0; D]; M], offset: [0.0; M], noise };
        for i in 0..M {
            for k in i..M {
                link.offset[i] += noise[i][k] * work[k][R - 1];
                for j in 0..D {
                    link.gain[i][j] += noise[i][k] * work[k][M + j];
                }
            }
        }
        link
    }

    #[inline(always)]
    fn rest(work: &[[f64; R]; R]) -> Information<D> {
        let mut known = Information { r: [[0.0; D]; D], b: [0.0; D] };
        for i in 0..D {
            known.r[i].copy_from_slice(&work[M + i][M..M + D]);
            known.b[i] = work[M + i][R - 1];
        }
        known
    }

    /// The last state from the properties of it; on a closed chain it is `p` itself. Also the
    /// misfit of the closure.
    fn finish(known: &Information<D>) -> (End<M>, f64) {
        let mut work = [[0.0; R]; R];
        for i in 0..D {
            for j in 0..D {
                work[i][j % M] += known.r[i][j];
            }
            work[i][M] = known.b[i];
        }
        triangularize(&mut work, 0..M, D);
        let root = inverse_upper::<M, R>(&work);
        let mut mean = [0.0; M];
        for i in 0..M {
            mean[i] = (i..M).map(|k| root[i][k] * work[k][M]).sum();
        }
        let misfit = (M..D).map(|i| work[i][M].powi(2)).sum();
        (End { mean, root, objective: 0.0, log_root: 0.0 }, misfit)
    }
}

fn inverse_lower<const M: usize>(l: &[[f64; M]; M]) -> [[f64; M]; M] {
    let mut inverse = [[0.0; M]; M];
    for j in 0..M {
        inverse[j][j] = 1.0 / l[j][j];
        for i in j + 1..M {
            inverse[i][j] = -(j..i).map(|k| l[i][k] * inverse[k][j]).sum::<f64>() / l[i][i];
        }
    }
    inverse
}
