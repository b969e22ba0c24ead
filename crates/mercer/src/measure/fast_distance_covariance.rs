//! Distance covariance of two columns in `O(n log n)`.

use ndarray::ArrayView1;

use super::HsicEstimator;

/// The sums over pairs that distance covariance needs, `aᵢⱼ = |xᵢ − xⱼ|`, `bᵢⱼ = |yᵢ − yⱼ|`.
pub(super) struct DistanceProducts {
    n: f64,
    /// `Σᵢⱼ aᵢⱼbᵢⱼ`.
    products: f64,
    /// `Σᵢ aᵢ.bᵢ.` of the row sums.
    rows: f64,
    /// `Σᵢⱼ aᵢⱼ` and `Σᵢⱼ bᵢⱼ`.
    totals: (f64, f64),
}

impl DistanceProducts {
    /// `dCov²`, biased or not.
    pub(super) fn covariance(&self, kind: HsicEstimator) -> f64 {
        let n = self.n;
        let (a, b) = self.totals;
        match kind {
            HsicEstimator::Biased => {
                self.products / (n * n) - 2.0 * self.rows / (n * n * n) + (a / (n * n)) * (b / (n * n))
            }
            HsicEstimator::Unbiased => {
                let centered = self.products - 2.0 * self.rows / (n - 2.0) + a * b / ((n - 1.0) * (n - 2.0));
                centered / (n * (n - 3.0))
            }
        }
    }
}

/// Every sum in `O(n log n)` [Huo, Székely 2016].
pub(super) fn fast_products(x: ArrayView1<'_, f64>, y: ArrayView1<'_, f64>) -> DistanceProducts {
    let (x, y) = (centered(x), centered(y));
    let (a, b) = (distance_rows(&x), distance_rows(&y));
    DistanceProducts {
        n: x.len() as f64,
        products: products(&x, &y),
        rows: a.iter().zip(&b).map(|(a, b)| a * b).sum(),
        totals: (a.iter().sum(), b.iter().sum()),
    }
}

/// The column less its mean, so that sums of products keep their digits.
fn centered(column: ArrayView1<'_, f64>) -> Vec<f64> {
    let mean = column.sum() / column.len() as f64;
    column.iter().map(|v| v - mean).collect()
}

fn order(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    order
}

/// `Σⱼ |vᵢ − vⱼ|` for every `i`.
fn distance_rows(values: &[f64]) -> Vec<f64> {
    let (n, total): (f64, f64) = (values.len() as f64, values.iter().sum());
    let mut rows = vec![0.0; values.len()];
    let mut below = 0.0;
    for (rank, &i) in order(values).iter().enumerate() {
        let v = values[i];
        // (rank·v − below) for the smaller ones, (above − (n − rank)·v) for this one and the larger
        // ones.
        rows[i] = rank as f64 * v - below + (total - below) - (n - rank as f64) * v;
        below += v;
    }
    rows
}

/// `Σᵢⱼ |xᵢ − xⱼ||yᵢ − yⱼ|`: points in the order of `x`, and a tree over the ranks of `y` that
/// counts smaller values.
fn products(x: &[f64], y: &[f64]) -> f64 {
    let mut rank = vec![0; y.len()];
    order(y).iter().enumerate().for_each(|(r, &i)| rank[i] = r);
    let mut tree = Tree::new(y.len());
    let mut all = Moments::default();
    let mut sum = 0.0;
    for &i in &order(x) {
        let below = tree.below(rank[i]);
        sum += 2.0 * below.products_with(x[i], y[i]) - all.products_with(x[i], y[i]);
        let own = Moments { count: 1.0, x: x[i], y: y[i], xy: x[i] * y[i] };
        all.add(&own);
        tree.add(rank[i], &own);
    }
    2.0 * sum
}

/// Sums over a set of points.
#[derive(Clone, Copy, Default)]
struct Moments {
    count: f64,
    x: f64,
    y: f64,
    xy: f64,
}

impl Moments {
    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.x += other.x;
        self.y += other.y;
        self.xy += other.xy;
    }

    /// `Σ (x − xᵢ)(y − yᵢ)` over the set.
    fn products_with(&self, x: f64, y: f64) -> f64 {
        self.count * x * y - x * self.y - y * self.x + self.xy
    }
}

/// A Fenwick tree of moments.
struct Tree(Vec<Moments>);

impl Tree {
    fn new(n: usize) -> Self {
        Self(vec![Moments::default(); n + 1])
    }

    fn add(&mut self, rank: usize, moments: &Moments) {
        let mut at = rank + 1;
        while at < self.0.len() {
            self.0[at].add(moments);
            at += at & at.wrapping_neg();
        }
    }

    /// The moments of all ranks below this one.
    fn below(&self, rank: usize) -> Moments {
        let (mut at, mut sum) = (rank, Moments::default());
        while at > 0 {
            sum.add(&self.0[at]);
            at &= at - 1;
        }
        sum
    }
}
