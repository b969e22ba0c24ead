//! MNIST, averaged to 7 × 7.

use std::error::Error;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use mercer::Stream;
use ndarray::Array2;

/// Images of 49 values with their digits.
pub struct Digits {
    images: Vec<[f64; 49]>,
    labels: Vec<u8>,
}

impl Digits {
    /// All 70 000 images.
    pub fn read(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let (mut images, mut labels) = (Vec::new(), Vec::new());
        for part in ["train", "t10k"] {
            let bytes = unpacked(&folder.join(format!("{part}-images-idx3-ubyte.gz")))?;
            images.extend(bytes[16..].chunks_exact(784).map(averaged));
            labels.extend_from_slice(&unpacked(&folder.join(format!("{part}-labels-idx1-ubyte.gz")))?[8..]);
        }
        Ok(Self { images, labels })
    }

    /// A sample without replacement of the images of some digits.
    pub fn sample(&self, digits: &[u8], rows: usize, random: &mut Stream) -> Array2<f64> {
        let mut chosen: Vec<usize> = Vec::with_capacity(rows);
        while chosen.len() < rows {
            let at = random.below(self.labels.len());
            if digits.contains(&self.labels[at]) && !chosen.contains(&at) {
                chosen.push(at);
            }
        }
        Array2::from_shape_fn((rows, 49), |(i, j)| self.images[chosen[i]][j])
    }
}

/// Means of blocks of 4 × 4 pixels.
fn averaged(image: &[u8]) -> [f64; 49] {
    std::array::from_fn(|cell| {
        let (top, left) = (cell / 7 * 4, cell % 7 * 4);
        let pixels = (0..16).map(|p| f64::from(image[(top + p / 4) * 28 + left + p % 4]));
        pixels.sum::<f64>() / 16.0
    })
}

fn unpacked(path: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut bytes = Vec::new();
    GzDecoder::new(File::open(path)?).read_to_end(&mut bytes)?;
    Ok(bytes)
}
