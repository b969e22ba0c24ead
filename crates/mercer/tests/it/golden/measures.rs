//! Golden numbers of measures (c12, c13, c15): embeddings, MMD, energy distance, HSIC, distance
//! covariance, interactions.

use crate::common::golden::{Golden, matrix, number, numbers};
use mercer::measure::{
    Distribution, Estimator, HsicEstimator, LawEmbedding, MeanEmbedding, block_mmd, dhsic, distance_correlation,
    distance_covariance, distance_statistics, energy_distance, hsic, lancaster, mmd, normalized_hsic,
    unbiased_distance_statistics, witness,
};
use mercer::{Compute, Kernel, Points};
use ndarray::{Array1, Array2, s};
use serde_json::Value;

fn gaussian(length: &Value) -> Kernel {
    Kernel::gaussian(number(length)).unwrap()
}

/// The kernel of an entry `{name, params}`.
fn kernel(entry: &Value) -> Kernel {
    let parameter = |name: &str| number(&entry["params"][name]);
    let text = match entry["name"].as_str().unwrap() {
        "gaussian" => format!("gaussian(lengthscale={:?})", parameter("l")),
        "laplacian" | "laplacian_l2" => format!("laplacian(lengthscale={:?})", parameter("l")),
        "imq" | "inverse_multiquadric" => format!("inverse_multiquadric(offset={:?})", parameter("c")),
        "polynomial" => {
            let scale = entry["params"]["s"].as_f64().unwrap_or(1.0);
            format!("polynomial(degree={:?}, offset={:?}, scale={scale:?})", parameter("m"), parameter("c"))
        }
        "rq" | "rational_quadratic" => {
            format!("rational_quadratic(lengthscale={:?}, shape={:?})", parameter("l"), parameter("a"))
        }
        other => panic!("kernel {other}"),
    };
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn mmd_estimators_and_witness() {
    let golden = Golden::load("c12_mmd_estimators");
    let compute = Compute::new();
    let (x, y, t) = (matrix(golden.input("X")), matrix(golden.input("Y")), matrix(golden.input("T")));
    let q = number(golden.input("q")) as usize;
    let (xq, yq) = (x.slice(s![..q, ..]), y.slice(s![..q, ..]));
    let kernels = golden.input("kernels").as_array().unwrap();
    assert_eq!(golden.expected().len(), kernels.len());
    for ((name, expected), entry) in golden.expected().iter().zip(kernels) {
        let k = kernel(entry);
        let check = |key: &str, found: f64| golden.check(name, key, found, number(&expected[key]));
        check("biased", mmd(&x, &y, &k, Estimator::Biased, &compute).unwrap());
        check("mmd_b", mmd(&x, &y, &k, Estimator::Biased, &compute).unwrap().sqrt());
        check("unbiased", mmd(&x, &y, &k, Estimator::Unbiased, &compute).unwrap());
        check("ustat_paired", mmd(xq, yq, &k, Estimator::Paired, &compute).unwrap());
        check("linear_time", mmd(xq, yq, &k, Estimator::Linear, &compute).unwrap());
        let blocks = block_mmd(xq, yq, &k, 2, &compute).unwrap();
        check("linear_time", blocks.value);
        check("linear_time_h_variance", blocks.variance);
        let f = witness(&x, &y, &k, &compute).unwrap();
        let values = f.evaluate(t.view(), &compute).unwrap();
        golden.check_all(name, "witness", &values.to_vec(), &numbers(&expected["witness"]));
        check("biased", f.squared_norm(&compute).unwrap());
    }
}

#[test]
fn energy_is_its_own_formula_and_a_squared_mmd() {
    let golden = Golden::load("c12_energy_distance");
    let compute = Compute::new();
    let half: Kernel = "brownian(hurst=0.5)".parse().unwrap();
    for (case, x, y) in [("one_dim", "x", "y"), ("multi", "X", "Y")] {
        let expected = &golden.expected()[case];
        let (x, y) = (matrix(golden.input(x)), matrix(golden.input(y)));
        let check = |key: &str, found: f64| golden.check(case, key, found, number(&expected[key]));
        let energy = energy_distance(&x, &y, Estimator::Biased, &compute).unwrap();
        check("energy", energy);
        check("energy_unbiased", energy_distance(&x, &y, Estimator::Unbiased, &compute).unwrap());
        check("mmd2_biased_half_kernel", mmd(&x, &y, &half, Estimator::Biased, &compute).unwrap());
        if case == "one_dim" {
            check("sqrt_energy", energy.sqrt());
        }
    }
}

#[test]
fn population_mmd_of_gaussians() {
    let golden = Golden::load("c12_mmd_population_gaussian");
    let inputs = golden.input("cases").as_array().unwrap();
    let expected = golden.expected()["cases"].as_array().unwrap();
    for (input, expected) in inputs.iter().zip(expected) {
        let k = gaussian(&input["l"]);
        let embed = |mean: &str, covariance: &str| {
            let distribution =
                Distribution::Gaussian { mean: numbers(&input[mean]).into(), covariance: matrix(&input[covariance]) };
            LawEmbedding::new(&k, distribution).unwrap()
        };
        let (p, q) = (embed("mu", "S"), embed("nu", "T"));
        let check = |key: &str, found: f64| golden.check("cases", key, found, number(&expected[key]));
        check("E_kxx", p.squared_norm().unwrap());
        check("E_kyy", q.squared_norm().unwrap());
        check("E_kxy", p.inner(&q).unwrap());
        check("mmd2", p.squared_mmd(&q).unwrap());
    }
}

#[test]
fn embeddings_in_closed_form() {
    let golden = Golden::load("c15_mean_embeddings_closed_forms");
    let column = |key: &str| matrix(golden.input(key));
    let check = |case: &str, kernel: &str, distribution: Distribution, t: &Array2<f64>| {
        let expected = &golden.expected()[case];
        let mu = LawEmbedding::new(&kernel.parse().unwrap(), distribution).unwrap();
        let values = mu.evaluate(t).unwrap();
        golden.check_all(case, "mu", &values.to_vec(), &numbers(&expected["mu"]));
        match expected["norm2"].as_f64() {
            Some(norm2) => golden.check(case, "norm2", mu.squared_norm().unwrap(), norm2),
            None => assert!(mu.squared_norm().is_err()),
        }
    };
    let gauss = format!("gaussian(lengthscale={:?})", number(golden.input("l")));
    let distribution =
        Distribution::Gaussian { mean: numbers(golden.input("gauss_m")).into(), covariance: column("gauss_S") };
    check("gauss_gauss", &gauss, distribution, &column("gauss_t"));
    let ends = numbers(golden.input("uniform_ab"));
    check("gauss_uniform", &gauss, Distribution::Uniform { low: ends[0], high: ends[1] }, &column("t1"));
    let moments = Distribution::Moments(numbers(golden.input("moments_M1_to_M4")));
    let poly = golden.input("poly");
    let text = format!("polynomial(degree={}, offset={:?})", number(&poly["m"]), number(&poly["c"]));
    check("poly_moments", &text, moments, &column("t1"));
    let e = golden.input("exponential");
    let distribution = Distribution::Gaussian {
        mean: Array1::from_elem(1, number(&e["m0"])),
        covariance: Array2::from_elem((1, 1), number(&e["v"])),
    };
    check("exponential", &format!("exponential(scale={:?})", number(&e["s"])), distribution, &column("t1"));
    let l = golden.input("laplace");
    let text = format!("laplacian(lengthscale={:?})", number(&l["l"]));
    check("laplacian_laplace", &text, Distribution::Laplace { scale: number(&l["b"]) }, &column("t1"));
    check("min_uniform", "wiener()", Distribution::Uniform { low: 0.0, high: 1.0 }, &column("t01"));
}

#[test]
fn bags_through_their_embeddings() {
    let golden = Golden::load("c15_bag_kernels");
    let compute = Compute::new();
    let k = gaussian(golden.input("l"));
    let theta = number(golden.input("theta"));
    let bags: Vec<Array2<f64>> = golden.input("bags").as_array().unwrap().iter().map(matrix).collect();
    let embed = |bag| MeanEmbedding::new(&k, bag, None, &compute).unwrap();
    let embedded: Vec<MeanEmbedding> = bags.iter().map(embed).collect();
    for (p, mu) in embedded.iter().enumerate() {
        for (q, nu) in embedded.iter().enumerate() {
            let check = |key: &str, found: f64| {
                golden.check(key, &format!("{p}, {q}"), found, number(&golden.expected()[key][p][q]));
            };
            let (inner, distance) = (mu.inner(nu, &compute).unwrap(), mu.distance(nu, &compute).unwrap());
            check("linear", inner);
            check("distance2", distance * distance);
            check("gaussian", (-distance * distance / (2.0 * theta * theta)).exp());
            check("normalised_linear", inner / (mu.norm(&compute).unwrap() * nu.norm(&compute).unwrap()));
            check("laplacian", (-distance / theta).exp());
            check("inverse_quadratic", 1.0 / (1.0 + distance * distance / (theta * theta)));
        }
    }
}

#[test]
fn hsic_estimators() {
    let golden = Golden::load("c13_hsic_estimators");
    let compute = Compute::new();
    let (k, l) = (gaussian(golden.input("lx")), gaussian(golden.input("ly")));
    for case in ["small", "large"] {
        let (x, y) = (matrix(&golden.input(case)["x"]), matrix(&golden.input(case)["y"]));
        let expected = &golden.expected()[case];
        let check = |key: &str, found: f64| golden.check(case, key, found, number(&expected[key]));
        let n = x.nrows() as f64;
        let biased = hsic(&x, &y, (&k, &l), HsicEstimator::Biased, &compute).unwrap();
        check("biased", biased);
        check("biased_n_minus_1", biased * (n / (n - 1.0)).powi(2));
        check("unbiased", hsic(&x, &y, (&k, &l), HsicEstimator::Unbiased, &compute).unwrap());
        check("normalised", normalized_hsic(&x, &y, (&k, &l), &compute).unwrap());
        check("biased_xx", hsic(&x, &x, (&k, &k), HsicEstimator::Biased, &compute).unwrap());
        check("biased_yy", hsic(&y, &y, (&l, &l), HsicEstimator::Biased, &compute).unwrap());
    }
}

#[test]
fn distance_covariance_and_its_kernel_form() {
    let golden = Golden::load("c13_distance_covariance");
    let compute = Compute::new();
    let (x, y) = (matrix(golden.input("x")), matrix(golden.input("y")));
    let check = |key: &str, found: f64| golden.check(key, "", found, number(&golden.expected()[key]));
    let found = distance_statistics(&x, &y, &compute).unwrap();
    check("dcov2_v", found.covariance_squared);
    check("dvar2_x_v", found.variance_x_squared);
    check("dvar2_y_v", found.variance_y_squared);
    check("dcov_v", distance_covariance(&x, &y, &compute).unwrap());
    check("dcor_v", distance_correlation(&x, &y, &compute).unwrap());
    let found = unbiased_distance_statistics(&x, &y, &compute).unwrap();
    check("dcov2_u", found.covariance_squared);
    check("dcor2_u", found.correlation_squared());
    let k: Kernel = "brownian(hurst=0.5)".parse().unwrap();
    check("hsic_b_brownian", hsic(&x, &y, (&k, &k), HsicEstimator::Biased, &compute).unwrap());
    check("hsic_u_brownian", hsic(&x, &y, (&k, &k), HsicEstimator::Unbiased, &compute).unwrap());
}

#[test]
fn interaction_and_joint_independence() {
    let golden = Golden::load("c13_lancaster_and_dhsic");
    let compute = Compute::new();
    let [k, l, m] = ["lx", "ly", "lz"].map(|key| gaussian(golden.input(key)));
    for case in ["small", "large"] {
        let [x, y, z] = ["x", "y", "z"].map(|key| matrix(&golden.input(case)[key]));
        let expected = &golden.expected()[case];
        let check = |key: &str, found: f64| golden.check(case, key, found, number(&expected[key]));
        let points = || [Points::from(&x), Points::from(&y), Points::from(&z)];
        check("lancaster", lancaster(points(), [&k, &l, &m], &compute).unwrap());
        check("dhsic", dhsic(&points(), &[&k, &l, &m], &compute).unwrap());
        check("dhsic_d2_xy", dhsic(&points()[..2], &[&k, &l], &compute).unwrap());
        check("hsic_b_xy", hsic(&x, &y, (&k, &l), HsicEstimator::Biased, &compute).unwrap());
        let both = ndarray::concatenate![ndarray::Axis(1), y, z];
        let product: Kernel = format!("on([0], {l}) * on([1], {m})").parse().unwrap();
        check("hsic_b_x_yz_product", hsic(&x, &both, (&k, &product), HsicEstimator::Biased, &compute).unwrap());
    }
}

#[test]
fn the_median_heuristic_of_the_pooled_sample() {
    let golden = Golden::load("c12_median_heuristic");
    let compute = Compute::new();
    let (x, y) = (matrix(golden.input("X")), matrix(golden.input("Y")));
    let k: Kernel = "gaussian(lengthscale=median)".parse().unwrap();
    let found = witness(&x, &y, &k, &compute).unwrap();
    let length = found.kernel().parameters()[0].value;
    golden.check("median_pairs", "", length, number(&golden.expected()["median_pairs"]));
    golden.check(
        "gamma_for_l_equal_med",
        "",
        0.5 / (length * length),
        number(&golden.expected()["gamma_for_l_equal_med"]),
    );
}
