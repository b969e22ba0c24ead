//! Faces of low resolution recognized among faces of high resolution:
//! `cargo run --example faces -- FOLDER [splits]` with `olivetti-images-idx3-ubyte.gz` and
//! `olivetti-labels-idx1-ubyte.gz` in FOLDER.
//!
//! Five images of every person are training pairs and the gallery, the other five are to be
//! recognized from the low resolution alone. Rates are means over random splits.

use std::io::Read;
use std::path::Path;

use mercer::view::coupled::{CoupledEmbedding, Coupling};
use mercer::{Compute, Kernel, Result, Seed};
use ndarray::{Array2, ArrayView1, Axis};

const TRAINED: usize = 5;

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).expect("the folder of the faces");
    let splits: u64 = std::env::args().nth(2).map_or(5, |text| text.parse().expect("a number of splits"));
    let (size, images) = read(&Path::new(&folder).join("olivetti-images-idx3-ubyte.gz"), 3);
    let (_, labels) = read(&Path::new(&folder).join("olivetti-labels-idx1-ubyte.gz"), 1);
    let labels: Vec<usize> = labels.iter().map(|&label| usize::from(label)).collect();
    let side = size[1];
    let high = Array2::from_shape_fn((size[0], side * side), |(i, p)| f64::from(images[i * side * side + p]) / 255.0);
    println!("{:8} {:>22} {:>12} {:>12}", "low", "enlarged + neighbor", "linear", "gaussian");
    for resolution in [8, 12] {
        let low = resample(&high, side, resolution);
        let enlarged = resample(&low, resolution, side);
        let mut rates = [0.0; 3];
        for split in 0..splits {
            let one = Split::new(&labels, Seed(split));
            rates[0] += one.interpolation(&enlarged, &high, &labels) / splits as f64;
            rates[1] += one.coupled("linear()", &low, &high, &labels)? / splits as f64;
            rates[2] += one.coupled("gaussian(lengthscale=median)", &low, &high, &labels)? / splits as f64;
        }
        let name = format!("{resolution}×{resolution}");
        println!("{name:8} {:22.3} {:12.3} {:12.3}", rates[0], rates[1], rates[2]);
    }
    Ok(())
}

/// Which images are for training, and which are to be recognized.
struct Split {
    train: Vec<usize>,
    test: Vec<usize>,
}

impl Split {
    fn new(labels: &[usize], seed: Seed) -> Self {
        let (mut train, mut test) = (Vec::new(), Vec::new());
        for person in 0..=labels.iter().copied().max().unwrap_or(0) {
            let mut stream = seed.stream("faces", person as u64);
            let rows = (0..labels.len()).filter(|&i| labels[i] == person);
            let mut drawn: Vec<(f64, usize)> = rows.map(|i| (stream.uniform(), i)).collect();
            drawn.sort_by(|a, b| a.0.total_cmp(&b.0));
            let (first, second) = drawn.split_at(TRAINED.min(drawn.len()));
            train.extend(first.iter().map(|d| d.1));
            test.extend(second.iter().map(|d| d.1));
        }
        Self { train, test }
    }

    fn coupled(&self, kernel: &str, low: &Array2<f64>, high: &Array2<f64>, labels: &[usize]) -> Result<f64> {
        let (kernel, compute): (Kernel, _) = (kernel.parse()?, Compute::new());
        let of = |rows: &[usize]| rows.iter().map(|&i| labels[i]).collect::<Vec<usize>>();
        let (train, test) = (of(&self.train), of(&self.test));
        let persons = train.iter().max().map_or(0, |m| m + 1);
        let spec = CoupledEmbedding::new(kernel.clone(), kernel, persons);
        let gallery = high.select(Axis(0), &self.train);
        let fit = spec.fit(&low.select(Axis(0), &self.train), &gallery, &Coupling::labels(&train, &train), &compute)?;
        fit.score(&low.select(Axis(0), &self.test), &test, &gallery, &train, &compute)
    }

    /// The nearest image of the gallery to the enlarged one.
    fn interpolation(&self, enlarged: &Array2<f64>, high: &Array2<f64>, labels: &[usize]) -> f64 {
        let distance = |a: ArrayView1<f64>, b: ArrayView1<f64>| (&a - &b).mapv(|v| v * v).sum();
        let right = |&&i: &&usize| {
            let near = self.train.iter().map(|&j| (distance(enlarged.row(i), high.row(j)), labels[j]));
            near.min_by(|a, b| a.0.total_cmp(&b.0)).is_some_and(|(_, label)| label == labels[i])
        };
        self.test.iter().filter(right).count() as f64 / self.test.len() as f64
    }
}

/// Square images of another side: means over the area of a pixel when they become smaller, cubic
/// interpolation (Keys 1981) when they become larger.
fn resample(images: &Array2<f64>, from: usize, to: usize) -> Array2<f64> {
    let mut weights = Array2::zeros((to, from));
    let ratio = from as f64 / to as f64;
    for i in 0..to {
        if to <= from {
            let (start, end) = (i as f64 * ratio, (i + 1) as f64 * ratio);
            (0..from).for_each(|j| {
                weights[[i, j]] = (end.min((j + 1) as f64) - start.max(j as f64)).max(0.0) / ratio;
            });
        } else {
            let at = (i as f64 + 0.5) * ratio - 0.5;
            for j in -2..=2 {
                let near = at.floor() + f64::from(j);
                weights[[i, near.clamp(0.0, (from - 1) as f64) as usize]] += cubic((at - near).abs());
            }
        }
    }
    let mut out = Array2::zeros((images.nrows(), to * to));
    for (image, mut row) in images.rows().into_iter().zip(out.rows_mut()) {
        let image = image.to_owned().into_shape_with_order((from, from)).expect("square images");
        row.iter_mut().zip(weights.dot(&image).dot(&weights.t()).iter()).for_each(|(o, v)| *o = *v);
    }
    out
}

/// The weight of a pixel at this distance.
fn cubic(d: f64) -> f64 {
    match d {
        d if d < 1.0 => (1.5 * d - 2.5) * d * d + 1.0,
        d if d < 2.0 => ((2.5 - 0.5 * d) * d - 4.0) * d + 2.0,
        _ => 0.0,
    }
}

/// An IDX file of bytes: its sizes, and its values.
fn read(path: &Path, dimensions: usize) -> (Vec<usize>, Vec<u8>) {
    let file = std::fs::File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(file).read_to_end(&mut bytes).expect("a gzip file");
    let size = |at: usize| u32::from_be_bytes(bytes[4 + 4 * at..8 + 4 * at].try_into().expect("four bytes")) as usize;
    ((0..dimensions).map(size).collect(), bytes[4 + 4 * dimensions..].to_vec())
}
