//! Kernels on bags and persistence diagrams: values by their definitions, derivatives by
//! differences, refusals, and learners on them.

use mercer::function::{Expansion, instance_scores};
use mercer::gram::{self, Pairs, Tiles};
use mercer::kernel::Property;
use mercer::learn::{GaussianProcess, Ridge, svm};
use mercer::points::{Bags, Diagrams};
use mercer::{Compute, Error, Kernel, Points, Seed};
use ndarray::{Array1, Array2, ArrayView2, array};

use crate::common::golden::{Golden, numbers};

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

/// Bags of 1 to `most` instances in the plane, every second one moved by 1.
fn bags(count: usize, most: usize) -> Bags {
    let mut stream = Seed(7).stream("bags", 0);
    let bag = |i: usize, stream: &mut mercer::Stream| {
        let size = 1 + (stream.uniform() * most as f64) as usize;
        Array2::from_shape_fn((size, 2), |_| stream.normal() + (i % 2) as f64)
    };
    let all: Vec<Array2<f64>> = (0..count).map(|i| bag(i, &mut stream)).collect();
    Bags::new(&views(&all)).unwrap()
}

fn views(arrays: &[Array2<f64>]) -> Vec<ArrayView2<'_, f64>> {
    arrays.iter().map(|array| array.view()).collect()
}

fn dense<'a>(kernel: &Kernel, points: impl Into<Points<'a>>) -> Array2<f64> {
    let compute = Compute::new();
    gram::dense(&kernel.bind(Pairs::Within(points.into()), &compute).unwrap(), &compute).unwrap()
}

#[test]
fn golden_values() {
    let golden = Golden::load("c15_bag_kernels");
    let (l, theta) = (golden.input("l").as_f64().unwrap(), golden.input("theta").as_f64().unwrap());
    let list = golden.input("bags").as_array().unwrap();
    let arrays: Vec<Array2<f64>> = list
        .iter()
        .map(|bag| {
            let rows: Vec<Vec<f64>> = bag.as_array().unwrap().iter().map(numbers).collect();
            Array2::from_shape_fn((rows.len(), rows[0].len()), |(i, j)| rows[i][j])
        })
        .collect();
    let bags = Bags::new(&views(&arrays)).unwrap();
    for (key, text) in [
        ("linear", format!("mean_embedding(gaussian(lengthscale={l}))")),
        ("distance2", format!("squared_mmd(gaussian(lengthscale={l}))")),
        ("gaussian", format!("gaussian_embedding(gaussian(lengthscale={l}), lengthscale={theta})")),
        ("normalised_linear", format!("normalized(mean_embedding(gaussian(lengthscale={l})))")),
    ] {
        let expected: Vec<f64> = golden.expected()[key].as_array().unwrap().iter().flat_map(numbers).collect();
        let found = dense(&kernel(&text), &bags);
        golden.check_all(key, &text, found.as_slice().unwrap(), &expected);
    }
}

/// Sums over all pairs of instances, for bags that are longer than a strip, with weights.
#[test]
fn long_bags_with_weights_are_sums_over_all_pairs() {
    let mut stream = Seed(3).stream("long", 0);
    let all: Vec<Array2<f64>> =
        [1, 130, 700, 3].map(|n| Array2::from_shape_fn((n, 3), |_| stream.normal())).into_iter().collect();
    let weights: Vec<f64> = (0..834).map(|_| stream.uniform()).collect();
    let bags = Bags::new(&views(&all)).unwrap().with_weights(weights.clone()).unwrap();
    let inner = kernel("gaussian(lengthscale=1.3) + linear()");
    let found = dense(&kernel("mean_embedding(gaussian(lengthscale=1.3) + linear())"), &bags);
    for p in 0..4 {
        for q in 0..4 {
            let (mut sum, mut total) = (0.0, (0.0, 0.0));
            for i in bags.range(p) {
                total.0 += weights[i];
            }
            for j in bags.range(q) {
                total.1 += weights[j];
            }
            for i in bags.range(p) {
                for j in bags.range(q) {
                    let (x, y) = (bags.instances().row(i).to_vec(), bags.instances().row(j).to_vec());
                    sum += weights[i] * weights[j] * inner.evaluate(&x, &y).unwrap();
                }
            }
            assert_close!(found[[p, q]], sum / (total.0 * total.1), abs = 1e-12, "{p}, {q}");
        }
    }
}

#[test]
fn diagrams_by_the_definition() {
    let all = [array![[0.0, 1.0], [0.2, 0.9], [0.5, 0.5]], array![[0.1, 2.0]], Array2::zeros((0, 2))];
    let diagrams = Diagrams::new(&views(&all), None).unwrap();
    let found = dense(&kernel("persistence(scale=0.3)"), &diagrams);
    let sigma = 0.3;
    for (p, first) in all.iter().enumerate() {
        for (q, second) in all.iter().enumerate() {
            let mut sum = 0.0;
            for x in first.rows() {
                for y in second.rows() {
                    let at = |b: f64, d: f64| (-((x[0] - b).powi(2) + (x[1] - d).powi(2)) / (8.0 * sigma)).exp();
                    sum += at(y[0], y[1]) - at(y[1], y[0]);
                }
            }
            let expected = sum / (8.0 * std::f64::consts::PI * sigma);
            assert_close!(found[[p, q]], expected, abs = 1e-14, "{p}, {q}");
        }
    }
    // An interval of length 0 counts nothing.
    let without = Diagrams::new(&[array![[0.0, 1.0], [0.2, 0.9]].view(), all[1].view(), all[2].view()], None).unwrap();
    let same = dense(&kernel("persistence(scale=0.3)"), &without);
    assert_close!(found.as_slice().unwrap(), same.as_slice().unwrap(), each = 1e-15);
}

#[test]
fn derivatives_are_limits_of_differences() {
    let (bags, compute) = (bags(7, 5), Compute::new());
    for text in [
        "mean_embedding(gaussian(lengthscale=0.8))",
        "2*squared_mmd(gaussian(lengthscale=[0.8, 1.5]))",
        "gaussian_embedding(matern(nu=3/2, lengthscale=0.9), lengthscale=0.4)",
        "3*normalized(mean_embedding(gaussian(lengthscale=0.8) + 0.5*linear()))",
        "exp(0.5*mean_embedding(rational_quadratic(lengthscale=0.8, shape=1.2)))",
    ] {
        let k = kernel(text);
        let bound = k.bind(Pairs::Within((&bags).into()), &compute).unwrap();
        let weights = Array2::from_shape_fn((7, 7), |(i, j)| 1.0 + (3 * i + j) as f64 / 10.0);
        let sums = bound.contract_derivatives(weights.view(), &compute).unwrap();
        for (p, parameter) in k.parameters().iter().enumerate() {
            let moved = |step: f64| {
                let mut values: Vec<f64> = k.parameters().iter().map(|p| p.value).collect();
                values[p] += step;
                dense(&k.with_parameters(&values).unwrap(), &bags)
            };
            let step = 1e-5;
            let expected = (moved(step) - moved(-step)) / (2.0 * step);
            let found = bound.derivative(p, &compute).unwrap();
            assert_close!(found.as_slice().unwrap(), expected.as_slice().unwrap(), each = 1e-8);
            let total = (&expected * &weights).sum();
            assert_close!(sums[p], total, abs = 1e-6 * (1.0 + total.abs()), "{text}: {}", parameter.name);
        }
    }
}

#[test]
fn proofs_go_from_instances_to_bags() {
    let proven = |text: &str, property| kernel(text).property(property).as_option();
    let (psd, nsd) = (Property::PositiveSemidefinite, Property::NegativeSemidefinite);
    assert_eq!(proven("mean_embedding(gaussian())", psd), Some(true));
    assert_eq!(proven("mean_embedding(tanh())", psd), None);
    assert_eq!(proven("squared_mmd(linear())", nsd), Some(true));
    assert_eq!(proven("squared_mmd(tanh())", nsd), None);
    assert_eq!(proven("schoenberg(squared_mmd(gaussian()), t=2)", psd), Some(true));
    assert_eq!(proven("gaussian_embedding(gaussian(), lengthscale=0.5)", psd), Some(true));
    assert_eq!(proven("normalized(persistence(scale=2))", psd), Some(true));
    assert_eq!(kernel("mean_embedding(2*gaussian())").bound(), Some(2.0));
}

#[test]
fn medians_are_those_of_instances_and_of_embeddings() {
    let bags = bags(9, 4);
    let bound = kernel("gaussian_embedding(gaussian(lengthscale=median), lengthscale=median)");
    let compute = Compute::new();
    let resolved = bound.bind(Pairs::Within((&bags).into()), &compute).unwrap().kernel().clone();
    let inner = gram::median_distance(bags.instances(), gram::MetricKind::SquaredEuclidean, &compute).unwrap();
    let text = resolved.to_string();
    assert!(text.starts_with(&format!("gaussian_embedding(gaussian(lengthscale={inner}")), "{text}");
    let distances = dense(&kernel(&format!("squared_mmd(gaussian(lengthscale={inner}))")), &bags).mapv(f64::sqrt);
    let mut all: Vec<f64> = (0..9).flat_map(|i| (0..i).map(move |j| (i, j))).map(|at| distances[at]).collect();
    all.sort_by(f64::total_cmp);
    let [middle, outer] = [kernel("1").parameters(), resolved.parameters()].map(|p| p.first().map(|p| p.value));
    assert_eq!(middle, Some(1.0));
    assert_close!(outer.unwrap(), 0.5 * (all[17] + all[18]), abs = 1e-12);
    assert_eq!(text.parse::<Kernel>().unwrap(), resolved);
}

#[test]
fn what_is_no_bag_or_diagram_is_refused() {
    let none = Array2::<f64>::zeros((0, 2));
    let error = Bags::new(&[array![[1.0, 2.0]].view(), none.view()]).unwrap_err().to_string();
    assert!(error.contains("bag 1"), "{error}");
    let error = Bags::new(&[array![[1.0, f64::NAN]].view()]).unwrap_err().to_string();
    assert!(error.contains("bag 0") && error.contains("NaN"), "{error}");
    assert!(matches!(Bags::new(&[array![[1.0]].view(), array![[1.0, 2.0]].view()]), Err(Error::Shape { .. })));
    let infinite = array![[0.0, f64::INFINITY]];
    let error = Diagrams::new(&[infinite.view()], None).unwrap_err().to_string();
    assert!(error.contains("infinity=value"), "{error}");
    assert_eq!(Diagrams::new(&[infinite.view()], Some(3.0)).unwrap().diagram(0), array![[0.0, 3.0]]);
    assert!(Diagrams::new(&[array![[2.0, 1.0]].view()], None).is_err());
    let (bags, compute) = (bags(4, 3), Compute::new());
    let refusal = |text: &str, points: Points<'_>| {
        kernel(text).bind(Pairs::Within(points), &compute).map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(refusal("gaussian()", (&bags).into()), "gaussian(lengthscale=1) takes vectors; the points are bags");
    let x = array![[1.0], [2.0]];
    let expected = "mean_embedding(linear()) takes bags; the points are vectors";
    assert_eq!(refusal("mean_embedding(linear())", (&x).into()), expected);
    assert!(refusal("persistence(scale=1)", (&bags).into()).contains("takes persistence diagrams"));
}

#[test]
fn learners_take_bags_and_values_have_the_same_bytes_for_any_threads() {
    let bags = bags(40, 6);
    let y = Array1::from_shape_fn(40, |i| (i % 2) as f64);
    let k = kernel("gaussian_embedding(gaussian(lengthscale=1), lengthscale=0.3)");
    let values = |threads: usize| {
        let compute = Compute::new().with_threads(threads).unwrap();
        let column = y.view().insert_axis(ndarray::Axis(1));
        let ridge = Ridge::new(k.clone(), 0.1).fit(&bags, column, None, &compute).unwrap();
        let names = vec!["a".to_string(), "b".to_string()];
        let classes = svm::Classes::from_indices((0..40).map(|i| i % 2).collect(), names).unwrap();
        let svc = svm::Svc::new(k.clone(), 10.0).fit(&bags, &classes, None, &compute).unwrap();
        let process = GaussianProcess::new("1*mean_embedding(gaussian(lengthscale=1))".parse().unwrap(), 0.1);
        let process = process.fit(&bags, y.view(), &compute).unwrap();
        let accuracy = svc.predict(&bags, &compute).unwrap().iter().enumerate().filter(|(i, c)| **c == i % 2).count();
        assert!(accuracy >= 32, "{accuracy} of 40");
        let all = [
            ridge.predict(&bags, &compute).unwrap().into_raw_vec_and_offset().0,
            svc.values(&bags, &compute).unwrap().into_raw_vec_and_offset().0,
            process.predict(&bags, &compute).unwrap().mean.to_vec(),
        ];
        all.concat().iter().map(|v| v.to_bits()).collect::<Vec<u64>>()
    };
    let one = values(1);
    assert_eq!(one, values(2));
    assert_eq!(one, values(5));
}

#[test]
fn new_bags_are_compared_as_those_of_the_fit() {
    let (bags, compute) = (bags(12, 5), Compute::new());
    let some = |rows: std::ops::Range<usize>| mercer::Sample::from(bags.clone()).taken(&rows.collect::<Vec<_>>());
    let (first, second) = (some(0..5), some(5..12));
    for text in ["mean_embedding(gaussian())", "squared_mmd(gaussian())", "normalized(mean_embedding(linear()))"] {
        let whole = dense(&kernel(text), &bags);
        let bound = kernel(text);
        let bound = bound.bind(Pairs::Between((&first).into(), (&second).into()), &compute).unwrap();
        assert!(!bound.symmetric());
        let part = gram::dense(&bound, &compute).unwrap();
        let expected = whole.slice(ndarray::s![..5, 5..]).to_owned();
        assert_close!(part.as_slice().unwrap(), expected.as_slice().unwrap(), each = 1e-14);
    }
}

/// `f(B) = Σ_x w_x f({x})` for an average of kernel values, by weights where there are some.
#[test]
fn scores_of_instances_add_up_to_the_value_of_their_bag() {
    let compute = Compute::new();
    let equal = bags(12, 4);
    let count = equal.instances().nrows();
    let weighted = equal.clone().with_weights((0..count).map(|i| 1.0 + (i % 3) as f64).collect()).unwrap();
    let y = Array2::from_shape_fn((12, 2), |(i, j)| (i % 2) as f64 + 0.1 * (i * j) as f64);
    for all in [equal, weighted] {
        let fit = Ridge::new(kernel("mean_embedding(gaussian())"), 0.1).fit(&all, y.view(), None, &compute).unwrap();
        let scores = instance_scores(fit.kernel(), &all, |alone| fit.predict(alone, &compute)).unwrap();
        let values = fit.predict(&all, &compute).unwrap();
        assert_eq!(scores.len(), 12);
        for (bag, scores) in scores.iter().enumerate() {
            let weight = |i: usize| all.weights().map_or(1.0, |weights| weights[all.range(bag)][i]);
            let total: f64 = (0..scores.nrows()).map(weight).sum();
            for output in 0..2 {
                let mean: f64 = (0..scores.nrows()).map(|i| weight(i) * scores[[i, output]]).sum::<f64>() / total;
                assert_close!(mean, values[[bag, output]], abs = 1e-12);
            }
        }
    }
    // Where the value is no sum, the score is still that of a bag with one instance.
    let all = bags(6, 3);
    let alpha = Array1::from_shape_fn(6, |i| i as f64 - 2.0);
    let f = Expansion::new(&kernel("gaussian_embedding(gaussian())"), &all, alpha.view(), &compute).unwrap();
    let scores = f.instance_scores(&all, &compute).unwrap();
    let alone = Bags::new(&[all.bag(2).slice(ndarray::s![..1, ..])]).unwrap();
    assert_close!(scores[2][0], f.evaluate(&alone, &compute).unwrap()[0], abs = 1e-15);
    let refused = instance_scores(&kernel("gaussian()"), &all, |_| Ok(Array2::zeros((0, 0)))).unwrap_err();
    assert!(matches!(refused, Error::WrongPoints { .. }));
}
