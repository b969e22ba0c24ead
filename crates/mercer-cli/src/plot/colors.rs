//! Colors that survive print and color blindness.

/// Red, green, blue.
pub type Rgb = [u8; 3];

/// Text and axes.
pub const INK: Rgb = [38, 42, 48];
/// Frames and ticks.
pub const FRAME: Rgb = [130, 136, 144];
/// Lines in the background.
pub const GRID: Rgb = [232, 234, 237];
/// The line y = 0.
pub const ZERO: Rgb = [176, 181, 188];

/// Curves, in the order in which they are drawn.
const CURVES: [Rgb; 6] = [[51, 99, 141], [200, 85, 61], [74, 145, 98], [128, 94, 152], [208, 150, 44], [92, 104, 116]];

/// The color of curve `i`.
pub fn curve(i: usize) -> Rgb {
    CURVES[i % CURVES.len()]
}

/// The color of an area that other things lie on: three parts of white.
pub fn pale(color: Rgb) -> Rgb {
    color.map(|c| (u16::from(c) / 4 + 191) as u8)
}

/// Ten stations of viridis (van der Walt and Smith), between which colors are interpolated.
const VIRIDIS: [Rgb; 10] = [
    [68, 1, 84],
    [72, 40, 120],
    [62, 74, 137],
    [49, 104, 142],
    [38, 130, 142],
    [31, 158, 137],
    [53, 183, 121],
    [109, 205, 89],
    [180, 222, 44],
    [253, 231, 37],
];

/// The color of a value in `[0, 1]`; a value that is no number is gray.
pub fn heat(value: f64) -> Rgb {
    if value.is_nan() {
        return GRID;
    }
    let last = VIRIDIS.len() - 1;
    let position = value.clamp(0.0, 1.0) * last as f64;
    let station = (position as usize).min(last - 1);
    let part = position - station as f64;
    let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * part).round() as u8;
    let (from, to) = (VIRIDIS[station], VIRIDIS[station + 1]);
    [mix(from[0], to[0]), mix(from[1], to[1]), mix(from[2], to[2])]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_the_ends() {
        assert_eq!(heat(0.0), VIRIDIS[0]);
        assert_eq!(heat(1.0), VIRIDIS[9]);
        assert_eq!(heat(7.0), VIRIDIS[9]);
        assert_eq!(heat(f64::NAN), GRID);
    }
}
