//! Statistics of features in chunks: the answers of the whole, whatever the chunks, the machines
//! and the interruptions.

use mercer::features::{
    CovarianceStatistics, ExplicitFeatures, FeatureMap, MeanStatistics, RandomFourier, RidgeStatistics,
};
use mercer::learn::Ridge;
use mercer::measure::{Estimator, HsicEstimator, hsic, mmd};
use mercer::{Compute, Kernel, Seed};
use ndarray::{Array1, Array2, ArrayView2, s};

fn compute() -> Compute {
    Compute::new().with_seed(Seed(2))
}

fn points(n: usize, d: usize, purpose: &str) -> Array2<f64> {
    let mut stream = Seed(8).stream(purpose, 0);
    Array2::from_shape_fn((n, d), |_| stream.normal())
}

const POLYNOMIAL: &str = "polynomial(degree=2, offset=1)";

fn polynomial(columns: usize) -> ExplicitFeatures {
    ExplicitFeatures::new(POLYNOMIAL.parse().unwrap(), columns).unwrap()
}

fn chunks<'a>(x: &'a Array2<f64>, sizes: &[usize]) -> Vec<ArrayView2<'a, f64>> {
    let mut start = 0;
    let cut = |&size: &usize| {
        start += size;
        x.slice(s![start - size..start, ..])
    };
    sizes.iter().map(cut).collect()
}

#[test]
fn one_pass_in_chunks_is_ridge_regression() {
    let (x, y) = (points(90, 3, "x"), points(90, 2, "y"));
    let weights = Array1::from_shape_fn(90, |i| (i % 4) as f64);
    let map = polynomial(3);
    let kernel: Kernel = POLYNOMIAL.parse().unwrap();
    for intercept in [false, true] {
        let mut parts = [RidgeStatistics::new(10, 2), RidgeStatistics::new(10, 2)];
        let sizes = [7, 40, 1, 42];
        let columns = weights.clone().insert_axis(ndarray::Axis(1));
        for (k, ((x, y), w)) in
            chunks(&x, &sizes).into_iter().zip(chunks(&y, &sizes)).zip(chunks(&columns, &sizes)).enumerate()
        {
            let z = map.transform(x, &compute()).unwrap();
            parts[k % 2].update(z.view(), y, Some(w.column(0)), &compute()).unwrap();
        }
        let [mut all, other] = parts;
        all.merge(&RidgeStatistics::from_bytes(&other.to_bytes()).unwrap()).unwrap();
        assert_close!(all.count(), weights.sum(), 0.0);
        let f = all.solve(0.3, intercept, &compute()).unwrap();
        let ridge = Ridge { intercept, ..Ridge::new(kernel.clone(), 0.3) };
        let expected = ridge.fit(x.view(), y.view(), Some(weights.view()), &compute()).unwrap();
        let values = expected.predict(x.view(), &compute()).unwrap();
        let found = f.predict(&map, x.view(), &compute()).unwrap();
        found.iter().zip(&values).for_each(|(f, e)| assert_close!(*f, *e, 1e-9));
        for j in 0..2 {
            let square = |i: usize| weights[i] * (y[[i, j]] - values[[i, j]]).powi(2);
            assert_close!(f.residual_squares()[j], (0..90).map(square).sum(), 1e-9);
        }
    }
}

#[test]
fn a_pass_that_was_interrupted_goes_on_with_the_same_bytes() {
    let (x, y) = (points(300, 2, "x"), points(300, 1, "y"));
    let map = RandomFourier::new("gaussian()".parse().unwrap(), 150).draw(2, &compute()).unwrap();
    let take = |all: &mut RidgeStatistics, chunk: usize| {
        let rows = s![chunk * 50..(chunk + 1) * 50, ..];
        let z = map.transform(x.slice(rows), &compute()).unwrap();
        all.update(z.view(), y.slice(rows), None, &compute()).unwrap();
    };
    let mut whole = RidgeStatistics::new(150, 1);
    (0..6).for_each(|chunk| take(&mut whole, chunk));
    let mut first = RidgeStatistics::new(150, 1);
    (0..3).for_each(|chunk| take(&mut first, chunk));
    let mut second = RidgeStatistics::from_bytes(&first.to_bytes()).unwrap();
    (3..6).for_each(|chunk| take(&mut second, chunk));
    assert_eq!(second.to_bytes(), whole.to_bytes());
}

#[test]
fn means_give_mmd_and_covariances_give_hsic() {
    let (x, y) = (points(80, 2, "x"), points(60, 2, "y") + 0.5);
    let kernel: Kernel = POLYNOMIAL.parse().unwrap();
    let map = polynomial(2);
    let mean = |x: &Array2<f64>, sizes: &[usize]| {
        let mut all = MeanStatistics::new(6);
        for chunk in chunks(x, sizes) {
            let mut part = MeanStatistics::new(6);
            part.update(map.transform(chunk, &compute()).unwrap().view()).unwrap();
            all.merge(&MeanStatistics::from_bytes(&part.to_bytes()).unwrap()).unwrap();
        }
        all
    };
    let (p, q) = (mean(&x, &[30, 50]), mean(&y, &[1, 59]));
    // To the bit, however the points are cut.
    assert_eq!(mean(&x, &[30, 50]), mean(&x, &[1, 2, 76, 1]));
    let exact = |estimator: Estimator| mmd(&x, &y, &kernel, estimator, &compute()).unwrap();
    assert_close!(p.squared_mmd(&q).unwrap(), exact(Estimator::Biased), 1e-11);
    assert_close!(p.unbiased_squared_mmd(&q).unwrap(), exact(Estimator::Unbiased), 1e-11);
    let second = x.slice(s![.., ..1]).mapv(|v| v * v - 0.3);
    let small = polynomial(1);
    let mut both = CovarianceStatistics::new(6, 3);
    for (x, y) in chunks(&x, &[11, 69]).into_iter().zip(chunks(&second, &[11, 69])) {
        let mut part = CovarianceStatistics::new(6, 3);
        let z = (map.transform(x, &compute()).unwrap(), small.transform(y, &compute()).unwrap());
        part.update(z.0.view(), z.1.view()).unwrap();
        both.merge(&CovarianceStatistics::from_bytes(&part.to_bytes()).unwrap()).unwrap();
    }
    let expected = hsic(&x, &second, (&kernel, &kernel), HsicEstimator::Biased, &compute()).unwrap();
    assert_close!(both.hsic().unwrap(), expected, 1e-10);
}

#[test]
fn damaged_bytes_and_wrong_sizes_are_refused() {
    let mut ridge = RidgeStatistics::new(3, 1);
    assert!(ridge.solve(1.0, true, &compute()).is_err());
    let (z, y) = (points(5, 3, "x"), points(5, 1, "y"));
    ridge.update(z.view(), y.view(), None, &compute()).unwrap();
    assert!(ridge.update(z.slice(s![.., ..2]), y.view(), None, &compute()).is_err());
    assert!(ridge.update(z.view(), y.slice(s![..2, ..]), None, &compute()).is_err());
    assert!(ridge.update(z.view(), y.view(), Some(Array1::from_elem(5, -1.0).view()), &compute()).is_err());
    assert!(ridge.merge(&RidgeStatistics::new(4, 1)).is_err());
    assert!(ridge.solve(-1.0, true, &compute()).is_err());
    let bytes = ridge.to_bytes();
    for cut in 0..bytes.len() {
        assert!(RidgeStatistics::from_bytes(&bytes[..cut]).is_err(), "{cut}");
    }
    assert!(RidgeStatistics::from_bytes(&[bytes.as_slice(), &[0]].concat()).is_err());
    assert!(MeanStatistics::from_bytes(&bytes).is_err());
    let mut huge = bytes.clone();
    huge[12..20].fill(0xff);
    assert!(RidgeStatistics::from_bytes(&huge).is_err());
    let mut broken = bytes;
    broken[28..36].copy_from_slice(&f64::NAN.to_le_bytes());
    assert!(RidgeStatistics::from_bytes(&broken).is_err());
    assert!(MeanStatistics::new(2).mean().is_err() && CovarianceStatistics::new(1, 1).hsic().is_err());
}
