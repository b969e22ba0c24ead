//! Tests on strings, graphs and persistence diagrams: they keep their level when the hypothesis is
//! true, and find differences that are known.

use super::calibration::{Held, calibrate};
use crate::common::graphs::{chosen, mutag, undirected};
use mercer::hypothesis::{Independence, IndependenceMethod, KernelWeights, TwoSample, TwoSampleMethod};
use mercer::points::{Diagrams, Graph, Graphs, Strings};
use mercer::{Compute, Kernel, Points, Sample, Seed, Stream};
use ndarray::Array2;

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap()
}

/// Strings of a Markov chain over three letters.
fn chain(count: usize, random: &mut Stream) -> Sample {
    let one = |random: &mut Stream| {
        let mut letter = random.below(3);
        let mut written = String::new();
        for _ in 0..12 {
            letter = if random.uniform() < 0.5 { letter } else { random.below(3) };
            written.push(['a', 'b', 'c'][letter]);
        }
        written
    };
    (0..count).map(|_| one(random)).collect::<Strings>().into()
}

/// Random graphs of nine vertices with two labels; every edge is there with the probability 0.3.
fn random_graphs(count: usize, random: &mut Stream) -> Sample {
    let pairs: Vec<(u32, u32)> = (0..9).flat_map(|u| (u + 1..9).map(move |v| (u, v))).collect();
    let one = |random: &mut Stream| {
        let edges = pairs.iter().copied().filter(|_| random.uniform() < 0.3).collect();
        let labels: Vec<i64> = (0..9).map(|_| random.below(2) as i64).collect();
        Graph::new(9, edges).with_vertex_labels(labels)
    };
    undirected((0..count).map(|_| one(random)).collect()).into()
}

/// Points on a circle or a sphere in space, with noise.
fn cloud(count: usize, sphere: bool, noise: f64, random: &mut Stream) -> Array2<f64> {
    let mut points = Array2::zeros((count, 3));
    for mut row in points.rows_mut() {
        let mut point = [random.normal(), random.normal(), if sphere { random.normal() } else { 0.0 }];
        let norm = point.iter().map(|v| v * v).sum::<f64>().sqrt();
        point.iter_mut().for_each(|v| *v = *v / norm + noise * random.normal());
        row.assign(&ndarray::ArrayView1::from(&point));
    }
    points
}

/// The intervals of the loops (H₁) of the Rips complex of some points, by reduction of its boundary
/// matrix over ℤ₂. Loops that no triangle closes do not occur: all triangles are in the complex.
fn loops(points: &Array2<f64>) -> Array2<f64> {
    let n = points.nrows();
    let distance = |i: usize, j: usize| (&points.row(i) - &points.row(j)).mapv(|v| v * v).sum().sqrt();
    let mut edges: Vec<(f64, [usize; 2])> =
        (0..n).flat_map(|i| (i + 1..n).map(move |j| [i, j])).map(|e| (distance(e[0], e[1]), e)).collect();
    edges.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut rank = Array2::zeros((n, n));
    edges.iter().enumerate().for_each(|(at, (_, [i, j]))| rank[[*i, *j]] = at);
    let sides = |[i, j, k]: [usize; 3]| {
        let mut sides = [rank[[i, j]], rank[[i, k]], rank[[j, k]]];
        sides.sort_unstable();
        sides
    };
    let triples = (0..n).flat_map(|i| (i + 1..n).flat_map(move |j| (j + 1..n).map(move |k| [i, j, k])));
    // A triangle is born with its longest side.
    let mut triangles: Vec<[usize; 3]> = triples.map(sides).collect();
    triangles.sort_by_key(|sides| sides[2]);
    let mut reduced: Vec<Option<Vec<usize>>> = vec![None; edges.len()];
    let mut intervals = Vec::new();
    for sides in triangles {
        let (death, mut column) = (edges[sides[2]].0, sides.to_vec());
        while let Some(&last) = column.last() {
            match &reduced[last] {
                Some(other) => column = symmetric_difference(&column, other),
                None => {
                    if death > edges[last].0 {
                        intervals.extend([edges[last].0, death]);
                    }
                    reduced[last] = Some(column);
                    break;
                }
            }
        }
    }
    Array2::from_shape_vec((intervals.len() / 2, 2), intervals).unwrap()
}

/// The entries of either of two ascending lists that are not in both.
fn symmetric_difference(a: &[usize], b: &[usize]) -> Vec<usize> {
    let mut all: Vec<usize> =
        a.iter().filter(|v| !b.contains(v)).chain(b.iter().filter(|v| !a.contains(v))).copied().collect();
    all.sort_unstable();
    all
}

fn diagrams(clouds: impl Iterator<Item = Array2<f64>>) -> Sample {
    let found: Vec<Array2<f64>> = clouds.map(|cloud| loops(&cloud)).collect();
    Diagrams::new(&found.iter().map(|d| d.view()).collect::<Vec<_>>(), None).unwrap().into()
}

fn circles(count: usize, random: &mut Stream) -> Sample {
    diagrams((0..count).map(|_| cloud(9, false, 0.15, random)).collect::<Vec<_>>().into_iter())
}

/// A square has one loop, from its side to its diagonal; points that fill a triangle have none.
#[test]
fn loops_of_a_square() {
    let square = ndarray::array![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    assert_eq!(loops(&square), ndarray::array![[1.0, 2.0_f64.sqrt()]]);
    let triangle = ndarray::array![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.4, 0.7, 0.0]];
    assert_eq!(loops(&triangle).nrows(), 0);
}

type Draw = fn(usize, &mut Stream) -> Sample;

/// What is drawn, and the kernel of the permutation test.
const KINDS: [(&str, Draw, &str); 3] = [
    ("strings", chain, "spectrum(length=2)"),
    ("graphs", random_graphs, "weisfeiler_lehman(depth=2)"),
    ("diagrams", circles, "persistence(scale=0.1)"),
];

fn aggregated() -> TwoSample {
    let method = TwoSampleMethod::Aggregated { weights: KernelWeights::Uniform, wild: false };
    TwoSample { permutations: 199, ..TwoSample::with_method(method) }
}

#[test]
fn two_samples_by_permutation() {
    for (name, draw, text) in KINDS {
        let test = TwoSample { permutations: 199, ..TwoSample::permutation(kernel(text)) };
        calibrate(&format!("two samples of {name}"), Held::Both, |random, compute| {
            let (x, y) = (draw(10, random), draw(12, random));
            test.test(&x, &y, compute).unwrap().p_value
        });
    }
}

/// Over all lengths of substrings, all depths of labels, or many scales.
#[test]
fn two_samples_aggregated() {
    for (name, draw, _) in KINDS {
        calibrate(&format!("two samples of {name}, aggregated"), Held::Both, |random, compute| {
            aggregated().test(&draw(10, random), &draw(10, random), compute).unwrap().p_value
        });
    }
}

#[test]
fn independence_of_objects_and_numbers() {
    for (name, draw, text) in KINDS {
        let test = Independence {
            kernel_x: Some(kernel(text)),
            permutations: 199,
            ..Independence::with_method(IndependenceMethod::Permutation)
        };
        calibrate(&format!("{name} and numbers"), Held::Both, |random, compute| {
            let x = draw(14, random);
            let y = Array2::from_shape_fn((14, 1), |_| random.normal());
            test.test(&x, &y, compute).unwrap().p_value
        });
    }
}

/// The p-values of a test on data sets with a difference.
fn p_values(name: &str, p_value: impl Fn(&mut Stream, &Compute) -> f64) -> Vec<f64> {
    (0..10).map(|t| p_value(&mut Seed(5).stream(name, t), &Compute::new().with_seed(Seed(t)))).collect()
}

fn assert_found(name: &str, p: &[f64]) {
    let found = p.iter().filter(|p| **p <= 0.05).count();
    assert!(found >= 9, "{name}: p-values {p:?}");
}

#[test]
fn the_classes_of_mutag_differ() {
    let (graphs, labels) = mutag();
    let class = |y: i64| (0..graphs.len()).filter(|&i| labels[i] == y).collect::<Vec<_>>();
    let (yes, no) = (class(1), class(-1));
    let some = |rows: &[usize], random: &mut Stream| -> Graphs {
        chosen(&graphs, random.permutation(rows.len()).into_iter().take(30).map(|i| rows[i]))
    };
    let p = p_values("compounds", |random, compute| {
        aggregated().test(&some(&yes, random), &some(&no, random), compute).unwrap().p_value
    });
    assert_found("compounds", &p);
    let p = p_values("compounds and their class", |random, compute| {
        let rows: Vec<usize> = random.permutation(graphs.len()).into_iter().take(50).collect();
        let y = Array2::from_shape_fn((50, 1), |(i, _)| labels[rows[i]] as f64);
        let x = chosen(&graphs, rows.iter().copied());
        let test = Independence {
            kernel_x: Some(kernel("normalized(weisfeiler_lehman(depth=2))")),
            permutations: 199,
            ..Independence::with_method(IndependenceMethod::Permutation)
        };
        test.test(&x, &y, compute).unwrap().p_value
    });
    assert_found("compounds and their class", &p);
}

const ENGLISH: &str = "the kernel of a method says how alike two points are and the method does the rest with numbers \
                       alone so that words and graphs are as good as rows of a table to it";
const ITALIAN: &str = "il nucleo di un metodo dice quanto due punti si somigliano e il metodo fa il resto con i soli numeri \
                       tanto che le parole e i grafi valgono quanto le righe di una tabella";

/// Strings with the pairs of letters of a text: after each letter one that follows it there.
fn in_language(text: &str, count: usize, random: &mut Stream) -> Strings {
    let letters: Vec<char> = text.chars().chain(text.chars().take(1)).collect();
    let one = |random: &mut Stream| {
        let mut at = random.below(letters.len() - 1);
        let mut written = String::new();
        for _ in 0..25 {
            written.push(letters[at]);
            let next: Vec<usize> = (1..letters.len()).filter(|&i| letters[i - 1] == letters[at]).collect();
            at = next[random.below(next.len())] % (letters.len() - 1);
        }
        written
    };
    (0..count).map(|_| one(random)).collect()
}

#[test]
fn two_languages_differ() {
    let p = p_values("languages", |random, compute| {
        let (x, y) = (in_language(ENGLISH, 20, random), in_language(ITALIAN, 20, random));
        aggregated().test(&x, &y, compute).unwrap().p_value
    });
    assert_found("languages", &p);
}

#[test]
fn circles_are_no_spheres() {
    let p = p_values("circles and spheres", |random, compute| {
        let mut shapes =
            |sphere: bool| diagrams((0..15).map(|_| cloud(12, sphere, 0.05, random)).collect::<Vec<_>>().into_iter());
        let (x, y) = (shapes(false), shapes(true));
        aggregated().test(Points::from(&x), &y, compute).unwrap().p_value
    });
    assert_found("circles and spheres", &p);
}

/// There is one kernel to aggregate over, and no scale to vary.
#[test]
fn rows_of_a_table_have_one_kernel() {
    use mercer::points::Mixed;
    let rows = |word: &str| {
        let texts: Strings = (0..12).map(|i| format!("{word} number {i}")).collect();
        Mixed::new(Array2::zeros((12, 0)), Vec::new(), vec![("text".into(), texts.into())]).unwrap()
    };
    let found = aggregated().test(&rows("abab"), &rows("xyxy"), &Compute::new()).unwrap();
    assert_eq!((found.detail("weight_1"), found.detail("weight_2")), (Some(1.0), None));
    assert!(found.reject, "{found:?}");
}
