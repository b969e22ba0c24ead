//! The backward pass: every state from the one after it, with its covariance as a sum of squares.

use super::forward::End;
use super::gap::{Gap, UnitRoot, derivative_gap};
use super::{Chain, Link, Pass, States};

/// No leverage exceeds 1; one that does by more than this shows that the digits have run out.
const LEVERAGE_SLACK: f64 = 1e-6;

/// The state `z`, the carried state `p`, and the covariance of `(z, p)`.
struct Here<const M: usize, const D: usize> {
    z: [f64; D],
    covariance: [[f64; D]; D],
}

/// What one step backward found.
struct Moved<const M: usize> {
    step: [f64; M],
    cross: [[f64; M]; M],
}

impl<const M: usize, const D: usize, const R: usize> Chain<M, D, R> {
    pub(super) fn backward(&self, end: &End<M>, lambda: f64, mut states: Option<&mut States>) -> Pass {
        let unit = UnitRoot::<M>::new();
        let u = self.nodes.len();
        let mut here = Self::last(end);
        let (mut residual, mut trace) = (0.0, 0.0);
        if let Some(s) = states.as_deref_mut() {
            s.allocate(u, M);
        }
        for i in (0..u).rev() {
            let node = &self.nodes[i];
            residual += node.weight * (node.y - here.z[0]).powi(2);
            let leverage = node.weight / lambda * here.covariance[0][0];
            trace += if leverage <= 1.0 + LEVERAGE_SLACK { leverage } else { f64::INFINITY };
            if let Some(s) = states.as_deref_mut() {
                s.keep_state::<M, D>(i, &here);
            }
            if i > 0 {
                let gap = unit.gap(node.t - self.nodes[i - 1].t);
                let moved = here.step_back(&self.links[i], &gap);
                if let Some(s) = states.as_deref_mut() {
                    s.keep_gap(i - 1, &moved);
                }
            }
        }
        if let (Some(s), Some(h)) = (states, self.closing_gap()) {
            s.close::<M, D>(u - 1, h, &here);
        }
        Pass { residual, objective: end.objective, trace, log_root: end.log_root }
    }

    fn last(end: &End<M>) -> Here<M, D> {
        let mut here = Here { z: [0.0; D], covariance: [[0.0; D]; D] };
        for i in 0..D {
            here.z[i] = end.mean[i % M];
            for j in 0..D {
                here.covariance[i][j] = (0..M).map(|k| end.root[i % M][k] * end.root[j % M][k]).sum();
            }
        }
        here
    }
}

impl<const M: usize, const D: usize> Here<M, D> {
    /// `z ← A⁻¹(z − Lε) = J(z, p) + …`, `Cov ← J Cov Jᵀ + BBᵀ` with `B = A⁻¹LN`.
    #[inline(always)]
    fn step_back(&mut self, link: &Link<M, D>, gap: &Gap<M>) -> Moved<M> {
        let mut noise = link.offset;
        for i in 0..M {
            for j in 0..D {
                noise[i] -= link.gain[i][j] * self.z[j];
            }
        }
        let step = lower_times_vector(&gap.root, &noise);
        let mut z = [0.0; M];
        for i in 0..M {
            for j in i..M {
                z[i] += gap.back[i][j] * (self.z[j] - step[j]);
            }
        }
        self.z[..M].copy_from_slice(&z);
        let cross = self.move_covariance(link, gap);
        Moved { step, cross }
    }

    /// Moves the covariance and gives `Cov(z_{i−1}, zᵢ)`.
    #[inline(always)]
    fn move_covariance(&mut self, link: &Link<M, D>, gap: &Gap<M>) -> [[f64; M]; M] {
        let mut jump = multiply(&gap.root, &link.gain);
        for (i, row) in jump.iter_mut().enumerate() {
            row[i] += 1.0;
        }
        let jump = multiply(&gap.back, &jump);
        let spread = multiply(&gap.back, &multiply(&gap.root, &link.noise));
        let product = multiply_square(&jump, &self.covariance);
        let mut cross = [[0.0; M]; M];
        for i in 0..M {
            cross[i].copy_from_slice(&product[i][..M]);
            for j in 0..=i {
                let mut sum = 0.0;
                for k in 0..D {
                    sum += product[i][k] * jump[j][k];
                }
                for k in 0..M {
                    sum += spread[i][k] * spread[j][k];
                }
                self.covariance[i][j] = sum;
                self.covariance[j][i] = sum;
            }
            for j in M..D {
                self.covariance[i][j] = product[i][j];
                self.covariance[j][i] = product[i][j];
            }
        }
        cross
    }
}

#[inline(always)]
fn lower_times_vector<const M: usize>(a: &[[f64; M]; M], v: &[f64; M]) -> [f64; M] {
    let mut out = [0.0; M];
    for i in 0..M {
        for k in 0..=i {
            out[i] += a[i][k] * v[k];
        }
    }
    out
}

#[inline(always)]
fn multiply<const M: usize, const D: usize>(a: &[[f64; M]; M], b: &[[f64; D]; M]) -> [[f64; D]; M] {
    let mut out = [[0.0; D]; M];
    for i in 0..M {
        for k in 0..M {
            for j in 0..D {
                out[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    out
}

#[inline(always)]
fn multiply_square<const M: usize, const D: usize>(a: &[[f64; D]; M], b: &[[f64; D]; D]) -> [[f64; D]; M] {
    let mut out = [[0.0; D]; M];
    for i in 0..M {
        for k in 0..D {
            for j in 0..D {
                out[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    out
}

impl States {
    fn allocate(&mut self, nodes: usize, order: usize) {
        self.mean = vec![0.0; nodes * order];
        self.step = vec![0.0; nodes * order];
        self.covariance = vec![0.0; nodes * order * order];
        self.cross = vec![0.0; nodes * order * order];
    }

    fn keep_state<const M: usize, const D: usize>(&mut self, i: usize, here: &Here<M, D>) {
        self.mean[i * M..(i + 1) * M].copy_from_slice(&here.z[..M]);
        for k in 0..M {
            let position = (i * M + k) * M;
            self.covariance[position..position + M].copy_from_slice(&here.covariance[k][..M]);
        }
    }

    fn keep_gap<const M: usize>(&mut self, i: usize, moved: &Moved<M>) {
        self.step[i * M..(i + 1) * M].copy_from_slice(&moved.step);
        for k in 0..M {
            let position = (i * M + k) * M;
            self.cross[position..position + M].copy_from_slice(&moved.cross[k]);
        }
    }

    /// The gap around the end of a closed chain, from `p = z_{u−1}` to `z₀`.
    fn close<const M: usize, const D: usize>(&mut self, last: usize, h: f64, first: &Here<M, D>) {
        let forward = derivative_gap::<M>(h);
        let mut moved = Moved { step: [0.0; M], cross: [[0.0; M]; M] };
        for i in 0..M {
            let carried: f64 = (i..M).map(|j| forward[i][j] * first.z[M + j]).sum();
            moved.step[i] = first.z[i] - carried;
            for j in 0..M {
                moved.cross[i][j] = first.covariance[M + i][j];
            }
        }
        self.keep_gap(last, &moved);
    }
}
