//! Observations made into nodes: checked, sorted, ties pooled, positions scaled.

use ndarray::ArrayView1;

use crate::error::{AllowedRange, Remedy, Requirement};
use crate::solve::chain::Node;
use crate::{Error, Result};

/// The nodes of a spline, and what connects them with the observations.
#[derive(Clone, Debug)]
pub(super) struct SplineData {
    /// One per distinct position of positive weight: `t = (x − origin)/scale`, the weighted mean of
    /// `y − center`, the summed weight.
    pub nodes: Vec<Node>,
    /// The node of each observation; none for weight 0.
    pub node_of: Vec<Option<usize>>,
    /// The smallest position.
    pub origin: f64,
    /// The range of the positions, or the period.
    pub scale: f64,
    /// The weighted mean of `y`, which no penalty sees.
    pub center: f64,
    /// `Σ w(y − ȳ)²` inside the ties.
    pub within: f64,
    /// The number of observations of positive weight.
    pub count: usize,
}

impl SplineData {
    pub fn new(
        x: ArrayView1<f64>,
        y: ArrayView1<f64>,
        weights: Option<ArrayView1<f64>>,
        period: Option<f64>,
    ) -> Result<Self> {
        check(x, y, weights)?;
        let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
        let kept = (0..x.len()).filter(|&i| weight(i) > 0.0);
        let origin = kept.clone().map(|i| x[i]).fold(f64::INFINITY, f64::min);
        let top = kept.clone().map(|i| x[i]).fold(f64::NEG_INFINITY, f64::max);
        let scale = period.unwrap_or(if top > origin { top - origin } else { 1.0 });
        if !scale.is_finite() {
            return Err(Error::overflow(
                format!("x from {origin:e} to {top:e}, once it is scaled to [0, 1],"),
                Remedy::Rescale,
            ));
        }
        if origin + scale == origin && period.is_some() {
            return Err(Error::parameter("period", scale, "large enough to be told beside the values of x"));
        }
        let position =
            |v: f64| if period.is_some() { (v - origin).rem_euclid(scale) / scale } else { (v - origin) / scale };
        let mut order: Vec<(f64, usize)> = kept.map(|i| (position(x[i]), i)).collect();
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let total: f64 = order.iter().map(|&(_, i)| weight(i)).sum();
        let center = order.iter().map(|&(_, i)| weight(i) / total * y[i]).sum();
        let mut data = Self {
            nodes: Vec::new(),
            node_of: vec![None; x.len()],
            origin,
            scale,
            center,
            within: 0.0,
            count: order.len(),
        };
        for tie in order.chunk_by(|a, b| a.0 == b.0) {
            data.pool(tie, |i| (y[i] - center, weight(i)));
        }
        if period.is_some() {
            data.rotate();
        }
        Ok(data)
    }

    /// Makes one node of the observations at one position.
    fn pool(&mut self, tie: &[(f64, usize)], value: impl Fn(usize) -> (f64, f64)) {
        let weight: f64 = tie.iter().map(|&(_, i)| value(i).1).sum();
        let y = tie.iter().map(|&(_, i)| value(i).1 / weight * value(i).0).sum::<f64>();
        for &(_, i) in tie {
            let (own, w) = value(i);
            self.within += w * (own - y).powi(2);
            self.node_of[i] = Some(self.nodes.len());
        }
        self.nodes.push(Node { t: tie[0].0, y, weight });
    }

    /// Starts the circle after its largest gap.
    fn rotate(&mut self) {
        let u = self.nodes.len();
        let gap = |i: usize| {
            if i == 0 { 1.0 + self.nodes[0].t - self.nodes[u - 1].t } else { self.nodes[i].t - self.nodes[i - 1].t }
        };
        let first = (1..u).fold(0, |best, i| if gap(i) > gap(best) { i } else { best });
        self.nodes[..first].iter_mut().for_each(|node| node.t += 1.0);
        self.nodes.rotate_left(first);
        for node in self.node_of.iter_mut().flatten() {
            *node = (*node + u - first) % u;
        }
    }

    /// The residual sum that rounding alone leaves: `(8ε)² Σ wy²`.
    pub fn rounding(&self) -> f64 {
        let squares: f64 = self.nodes.iter().map(|n| n.weight * (n.y.abs() + self.center.abs()).powi(2)).sum();
        squares * (8.0 * f64::EPSILON).powi(2)
    }

    /// Neighboring nodes pooled until few remain: enough to find where to search for λ.
    pub fn thinned(&self, groups: usize) -> (Vec<Node>, f64) {
        let mut nodes = Vec::with_capacity(groups);
        let mut within = self.within;
        for group in self.nodes.chunks(self.nodes.len().div_ceil(groups)) {
            let weight: f64 = group.iter().map(|n| n.weight).sum();
            let mean = |value: fn(&Node) -> f64| group.iter().map(|n| n.weight / weight * value(n)).sum::<f64>();
            let (t, y) = (mean(|n| n.t), mean(|n| n.y));
            within += group.iter().map(|n| n.weight * (n.y - y).powi(2)).sum::<f64>();
            nodes.push(Node { t, y, weight });
        }
        (nodes, within)
    }
}

fn check(x: ArrayView1<f64>, y: ArrayView1<f64>, weights: Option<ArrayView1<f64>>) -> Result<()> {
    crate::learn::observations::check_pairs(x, y)?;
    let Some(w) = weights else { return Ok(()) };
    if w.len() != x.len() {
        return Err(Error::shape("weights", format!("one per observation ({})", x.len()), w.len()));
    }
    if let Some((row, value)) = w.iter().enumerate().find(|(_, v)| !v.is_finite() || **v < 0.0) {
        return Err(Error::value("weights", (row, 0), value, Requirement::Range(AllowedRange::NON_NEGATIVE)));
    }
    if w.iter().all(|v| *v == 0.0) {
        return Err(Error::all_zero("weight", "no observation is left; give some rows a positive weight"));
    }
    Ok(())
}
