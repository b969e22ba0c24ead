//! Views of strings, graphs and bags: the numbers are those of the library, and a saved model gives
//! them for new rows.

use std::path::{Path, PathBuf};

use super::common::{assert_close, example, file, mercer, path_in};
use mercer::points::{Bags, Strings};
use mercer::view::cca::KernelCca;
use mercer::view::coupled::{Affinity, CoupledEmbedding, Coupling};
use mercer::view::pca::{KernelPca, KernelPcaFit};
use mercer::view::scaling::ClassicalScaling;
use mercer::view::spectral::SpectralClustering;
use mercer::{Compute, Kernel, Points, io};
use ndarray::{Array2, Axis, array};
use tempfile::TempDir;

const WORDS: [&str; 9] =
    ["kernel", "colonel", "kernels", "matrix", "matrices", "metric", "vector", "victor", "vectors"];
const NEW: [&str; 3] = ["kern", "matter", "vectorial"];
const SPECTRUM: &str = "normalized(spectrum(length=2))";
const TREES: &str = "normalized(weisfeiler_lehman(depth=2))";

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

fn table(folder: &TempDir, name: &str, words: &[&str]) -> String {
    let lines = words.iter().map(|word| format!("{word},{}\n", word.len()));
    let text: String = ["word,letters\n".to_owned()].into_iter().chain(lines).collect();
    file(folder, name, text.as_bytes())
}

fn mutag() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../mercer/tests/fixtures/MUTAG")
}

/// The numbers of a written table, without its first columns.
fn numbers(path: &str, from: usize) -> Array2<f64> {
    let table = io::read_table(path.as_ref(), &Default::default(), &Compute::new()).unwrap();
    let columns: Vec<usize> = (from..table.columns().len()).collect();
    let table = table.select(columns).unwrap();
    mercer::points::Encoding::default().fit(&table).unwrap().apply(&table).unwrap().matrix
}

/// Fits the components of DATA, and gives the scores that were written with the novelty of every
/// row, and the name of the model.
fn components(folder: &TempDir, data: &str, kernel: &str, more: &[&str]) -> (Array2<f64>, String) {
    let (out, model) = (path_in(folder, "z.csv"), path_in(folder, "m.st"));
    let words = ["embed", "pca", data, "--kernel", kernel, "--components", "2", "--novelty", "-o", &out];
    let text = mercer(&[&words[..], &["--model", &model], more].concat()).done().out;
    assert!(text.contains("Kernel principal components"), "{text}");
    (numbers(&out, 0), model)
}

fn assert_components<'x>(found: &Array2<f64>, fit: &KernelPcaFit, x: impl Fn() -> Points<'x>) {
    let compute = Compute::new();
    assert_eq!(found.slice(ndarray::s![.., ..2]), fit.transform(x(), &compute).unwrap());
    assert_eq!(found.column(2).to_vec(), fit.novelty(x(), &compute).unwrap());
}

#[test]
fn components_of_strings_are_the_library_s() {
    let folder = tempfile::tempdir().unwrap();
    let data = table(&folder, "words.csv", &WORDS);
    let (found, model) = components(&folder, &data, SPECTRUM, &["--columns", "word"]);
    let strings: Strings = WORDS.iter().collect();
    let fit = KernelPca::new(kernel(SPECTRUM), Some(2)).fit(&strings, &Compute::new()).unwrap();
    assert_components(&found, &fit, || Points::from(&strings));
    // New words, in a table with other columns.
    let out = path_in(&folder, "new_z.csv");
    mercer(&["transform", &model, &table(&folder, "new.csv", &NEW), "--novelty", "-o", &out]).done();
    let new: Strings = NEW.iter().collect();
    assert_components(&numbers(&out, 0), &fit, || Points::from(&new));
}

#[test]
fn components_of_graphs_are_the_library_s() {
    let folder = tempfile::tempdir().unwrap();
    let path = mutag();
    let (found, model) = components(&folder, path.to_str().unwrap(), TREES, &[]);
    let (graphs, _) = io::read_tu(&path, &Compute::new()).unwrap();
    let fit = KernelPca::new(kernel(TREES), Some(2)).fit(&graphs, &Compute::new()).unwrap();
    assert_eq!(found.nrows(), 188);
    assert_components(&found, &fit, || Points::from(&graphs));
    let out = path_in(&folder, "again.csv");
    mercer(&["transform", &model, path.to_str().unwrap(), "--novelty", "-o", &out]).done();
    assert_eq!(numbers(&out, 0), found);
    mercer(&["transform", &model, &example("rings")]).fails(1, &["edge labels"]);
}

#[test]
fn spectral_clusters_of_strings_and_graphs() {
    let folder = tempfile::tempdir().unwrap();
    let data = table(&folder, "words.csv", &WORDS);
    let words = ["cluster", &data, "--columns", "word", "-k", "3", "--spectral", "--kernel", SPECTRUM, "--json"];
    assert_eq!(mercer(&words).json()["labels"].to_string(), "[0,0,0,1,1,1,2,2,2]");
    let path = mutag();
    let (out, model) = (path_in(&folder, "c.csv"), path_in(&folder, "m.st"));
    let words = ["cluster", path.to_str().unwrap(), "-k", "2", "--spectral", "--kernel", TREES];
    let json = mercer(&[&words[..], &["-o", &out, "--model", &model, "--json"]].concat()).json();
    let (graphs, _) = io::read_tu(&path, &Compute::new()).unwrap();
    let fit = SpectralClustering::new(kernel(TREES), 2).fit(&graphs, &Compute::new()).unwrap();
    let labels: Vec<usize> = serde_json::from_value(json["labels"].clone()).unwrap();
    assert_eq!(labels, fit.labels());
    // The model finds the clusters of the same graphs again.
    let again = path_in(&folder, "again.csv");
    mercer(&["transform", &model, path.to_str().unwrap(), "-o", &again]).done();
    let clusters = |path: &str| numbers(path, 1).column(0).to_vec();
    assert_eq!(clusters(&again), clusters(&out));
}

#[test]
fn correlations_of_strings_with_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let data = table(&folder, "words.csv", &WORDS);
    let kernels = ["normalized(spectrum(length=1))", "gaussian(lengthscale=1)"];
    let words = ["embed", "cca", &data, "--x", "word", "--y", "letters", "--components", "1", "--kappa", "0.1"];
    let (out, model) = (path_in(&folder, "z.csv"), path_in(&folder, "m.st"));
    let words =
        [&words[..], &["--kernels", kernels[0], "--kernels", kernels[1], "-o", &out, "--model", &model]].concat();
    let json = mercer(&[&words[..], &["--json"]].concat()).json();
    let strings: Strings = WORDS.iter().collect();
    let letters = Array2::from_shape_fn((WORDS.len(), 1), |(row, _)| WORDS[row].len() as f64);
    let views = || [Points::from(&strings), Points::from(&letters)];
    let spec = KernelCca { kernels: kernels.map(kernel).to_vec(), ..KernelCca::new(kernel("linear()"), 1, 0.1) };
    let fit = spec.fit(&views(), &Compute::new()).unwrap();
    assert_close(&json["correlations"][0], fit.correlations()[0], 0.0);
    let both = numbers(&out, 0);
    for (view, x) in views().into_iter().enumerate() {
        assert_eq!(both.column(view), fit.transform(view, x, &Compute::new()).unwrap().column(0), "view {view}");
    }
    // A table with the column of one view gives the coordinates of this one.
    let lone = file(&folder, "lone.csv", b"word\nkernel\nvectors\n");
    let found = mercer(&["transform", &model, &lone, "--json"]).json();
    assert_close(&found["view1_component1"][1], both[[8, 0]], 1e-12);
    assert!(found["view2_component1"].is_null());
    let wrong = ["embed", "cca", &data, "--x", "word", "--y", "letters", "--kernels", kernels[0]];
    mercer(&wrong).fails(1, &["spectrum", "`letters`"]);
}

#[test]
fn squared_distances_of_bags_are_those_of_their_coordinates() {
    let folder = tempfile::tempdir().unwrap();
    let samples = [array![[0.0], [1.0]], array![[0.5], [0.7]], array![[4.0], [5.0], [6.0]], array![[4.5], [5.5]]];
    let lines = samples.iter().enumerate().flat_map(|(bag, rows)| rows.iter().map(move |v| format!("b{bag},{v}\n")));
    let text: String = ["bag,value\n".to_owned()].into_iter().chain(lines).collect();
    let data = file(&folder, "bags.csv", text.as_bytes());
    let (out, model) = (path_in(&folder, "z.csv"), path_in(&folder, "m.st"));
    let distance = "squared_mmd(gaussian(lengthscale=1))";
    let words = ["embed", "scaling", &data, "--bag", "bag", "--kernel", distance, "-o", &out, "--model", &model];
    let json = mercer(&[&words[..], &["--json"]].concat()).json();
    let bags = Bags::new(&samples.iter().map(|bag| bag.view()).collect::<Vec<_>>()).unwrap();
    let fit = ClassicalScaling::new(kernel(distance), None).fit(&bags, &Compute::new()).unwrap();
    assert_close(&json["stress"], fit.stress(), 0.0);
    let z = numbers(&out, 0);
    assert_eq!(z, fit.transform(&bags, &Compute::new()).unwrap());
    assert!((&z - &fit.embedding()).iter().all(|gap| gap.abs() < 1e-12));
    // Four bags lie in three dimensions: all distances are kept.
    let gram = mercer(&["kernel", "gram", distance, &data, "--bag", "bag", "--json"]).json();
    for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
        let gap = &z.index_axis(Axis(0), i) - &z.index_axis(Axis(0), j);
        assert_close(&gram["matrix"][i][j], gap.dot(&gap), 1e-9);
    }
    let again = path_in(&folder, "again.csv");
    mercer(&["transform", &model, &data, "-o", &again]).done();
    assert!((&numbers(&again, 0) - &z).iter().all(|gap| gap.abs() < 1e-7));
}

#[test]
fn strings_are_matched_with_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let low: String = ["word\n"].into_iter().chain(WORDS.iter().flat_map(|word| [*word, "\n"])).collect();
    let low = file(&folder, "low.csv", low.as_bytes());
    // Three columns that tell kernels, matrices and vectors apart.
    let row = |at: usize| format!("{},{}\n", at / 3, (at % 3) as f64 / 10.0);
    let high: String = ["kind,place\n".to_owned()].into_iter().chain((0..9).map(row)).collect();
    let high = file(&folder, "high.csv", high.as_bytes());
    let kernels = [SPECTRUM, "gaussian(lengthscale=0.5)"];
    let words = ["match", &low, &high, "--kernel-low", kernels[0], "--kernel-high", kernels[1], "--components", "2"];
    let (out, model) = (path_in(&folder, "o.csv"), path_in(&folder, "m.st"));
    let options = ["--affinity", "pairs", "--reg", "0.001", "-o", &out, "--model", &model];
    let json = mercer(&[&words[..], &options, &["--json"]].concat()).json();
    let strings: Strings = WORDS.iter().collect();
    let numbers_of_high = numbers(&high, 0);
    let spec = CoupledEmbedding {
        affinity: Affinity::Pairs,
        reg: 1e-3,
        ..CoupledEmbedding::new(kernel(kernels[0]), kernel(kernels[1]), 2)
    };
    let compute = Compute::new();
    let fit = spec.fit(&strings, &numbers_of_high, &Coupling::default(), &compute).unwrap();
    let expected = fit.matches(&strings, &numbers_of_high, 1, &compute).unwrap();
    let found: Vec<usize> = serde_json::from_value(json["matches"].clone()).unwrap();
    assert_eq!(found, expected.indices.column(0).to_vec());
    let own = (0..9).filter(|&row| found[row] / 3 == row / 3).count();
    assert!(own >= 8, "{found:?}");
    assert_close(&json["eigenvalues"][0], fit.eigenvalues()[0], 0.0);
    // A saved model matches new words.
    let new = file(&folder, "new.csv", b"word\nkern\nmatter\nvectorial\n");
    let words = ["match", &new, &high, "--using", &model, "--json"];
    let found: Vec<usize> = serde_json::from_value(mercer(&words).json()["matches"].clone()).unwrap();
    let new: Strings = NEW.iter().collect();
    let expected = fit.matches(&new, &numbers_of_high, 1, &compute).unwrap();
    assert_eq!(found, expected.indices.column(0).to_vec());
}

#[test]
fn a_match_has_a_plan() {
    let folder = tempfile::tempdir().unwrap();
    let low = file(&folder, "low.csv", b"who,a\nann,0\nann,0.2\nbob,5\nbob,5.3\ncid,9\n");
    let high = file(&folder, "high.csv", b"who,u,v\nbob,1,9\nann,7,1\ncid,4,4\n");
    let words = ["explain", "match", &low, &high, "--id", "who"];
    let text = mercer(&words).done().out;
    for word in ["coupled", "5 rows", "3 rows", "solver", "memory", "work"] {
        assert!(text.to_lowercase().contains(word), "`{word}` is not in {text}");
    }
    let json = mercer(&[&words[..], &["--json"]].concat()).json();
    assert_eq!((json["command"].as_str(), &json["low"], &json["high"]), (Some("match"), &5.into(), &3.into()));
    // Both matrices of functions, and the eigenproblem of both together.
    assert_eq!(json["bytes"].as_u64(), Some(8 * (5 * 5 + 3 * 3) + 24 * 8 * 8));
    let few = mercer(&[&words[..], &["--landmarks", "2", "--json"]].concat()).json();
    assert!(few["approximation"].as_str().unwrap().contains("2 landmarks"));
    assert!(few["bytes"].as_u64() < json["bytes"].as_u64());
    let model = path_in(&folder, "m.st");
    mercer(&[&words[1..], &["--model", &model]].concat()).done();
    mercer(&["explain", "match", &low, &high, "--using", &model]).fails(1, &["--using", "has no plan"]);
    mercer(&["explain", "match", &low, &high, "--id", "nobody"]).fails(1, &["--id", "nobody"]);
    // 40 points of each mode: 8·2·40² + 24·80² bytes.
    let line = |row: usize| format!("{}\n", row as f64 / 7.0);
    let many: String = ["a\n".to_owned()].into_iter().chain((0..40).map(line)).collect();
    let many = file(&folder, "many.csv", many.as_bytes());
    mercer(&["explain", "match", &many, &many, "--memory", "100KB"]).fails(1, &["coupled embedding", "175.00 KiB"]);
    // The plan writes nothing.
    let out = path_in(&folder, "o.csv");
    mercer(&[&words[..], &["-o", &out]].concat()).done();
    assert!(!Path::new(&out).exists());
}

#[test]
fn commands_without_a_plan_are_named() {
    for command in ["predict", "transform", "serve", "demo"] {
        mercer(&["explain", command, "model.st", "data.csv"]).fails(1, &[command, "kernel", "fit", "match"]);
    }
    // Misspelled words are corrected.
    mercer(&["explain", "clustre", "data.csv"]).fails(1, &["clustre", "cluster"]);
}
