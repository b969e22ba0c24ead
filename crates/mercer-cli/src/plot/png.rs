//! Pixels → PNG → base64.

use png::{AdaptiveFilterType, ColorType, Compression, Encoder};

use super::canvas::failed;
use crate::failure::Failure;

/// The bytes of a PNG file of red, green and blue.
pub fn encode(pixels: &[u8], (width, height): (u32, u32)) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, width, height);
    encoder.set_color(ColorType::Rgb);
    encoder.set_compression(Compression::Best);
    encoder.set_adaptive_filter(AdaptiveFilterType::Adaptive);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(pixels).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}

/// A picture smaller by a whole factor: every pixel is the mean of a square.
pub fn average(pixels: &[u8], (width, height): (u32, u32), factor: u32) -> Vec<u8> {
    let (width, factor) = (width as usize, factor as usize);
    let (columns, rows) = (width / factor, height as usize / factor);
    let mut out = Vec::with_capacity(columns * rows * 3);
    for row in 0..rows {
        for column in 0..columns {
            out.extend(mean_of_square(pixels, width, (row * factor, column * factor), factor));
        }
    }
    out
}

fn mean_of_square(pixels: &[u8], width: usize, (row, column): (usize, usize), factor: usize) -> [u8; 3] {
    let mut sums = [0_u32; 3];
    for i in row..row + factor {
        for j in column..column + factor {
            let start = (i * width + j) * 3;
            sums.iter_mut().zip(&pixels[start..start + 3]).for_each(|(sum, &p)| *sum += u32::from(p));
        }
    }
    let count = (factor * factor) as u32;
    sums.map(|sum| ((sum + count / 2) / count) as u8)
}

/// Bytes as text, for pictures inside pictures (RFC 4648).
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = (0..3).fold(0_u32, |g, i| g << 8 | u32::from(chunk.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let letter = LETTERS[(group >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= chunk.len() { letter as char } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_in_the_standard() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn squares_are_averaged() {
        let pixels = [0, 0, 0, 4, 8, 12, 0, 0, 0, 4, 8, 12];
        assert_eq!(average(&pixels, (2, 2), 2), [2, 4, 6]);
    }
}
