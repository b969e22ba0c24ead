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
/// Paper.
pub const WHITE: Rgb = [255, 255, 255];

/// Okabe and Ito's palette in the order of the displays in Python: blue, orange, green, vermilion,
/// purple, sky blue, and black instead of yellow, which is too pale for lines on white paper.
const CURVES: [Rgb; 7] =
    [[0, 114, 178], [230, 159, 0], [0, 158, 115], [213, 94, 0], [204, 121, 167], [86, 180, 233], [0, 0, 0]];
/// A right and a wrong answer.
pub const RIGHT: Rgb = CURVES[0];
/// See [`RIGHT`].
pub const WRONG: Rgb = CURVES[3];

/// The color of curve `i`.
pub fn curve(i: usize) -> Rgb {
    CURVES[i % CURVES.len()]
}

/// The color of an area that other things lie on: three parts of white.
pub fn pale(color: Rgb) -> Rgb {
    color.map(|c| (u16::from(c) / 4 + 191) as u8)
}

/// The color of a region of a class: three fifths of white. Paler regions of different classes look
/// alike to people with deuteranopia.
pub fn region(color: Rgb) -> Rgb {
    color.map(|c| (u16::from(c) * 2 / 5 + 153) as u8)
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

/// The shade of gray of a value in `[0, 1]`, 1 is white.
pub fn gray(value: f64) -> Rgb {
    [(255.0 * if value.is_nan() { 0.5 } else { value.clamp(0.0, 1.0) }).round() as u8; 3]
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
        assert_eq!((gray(0.0), gray(1.0)), ([0; 3], [255; 3]));
    }

    type Matrix = [[f64; 3]; 3];

    /// Full color vision, and protanopia and deuteranopia by Machado, Oliveira and Fernandes (2009),
    /// table 1, severity 1.0, on linear RGB.
    const VISIONS: [(&str, Matrix); 3] = [
        ("normal", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        (
            "protanopia",
            [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        ),
        (
            "deuteranopia",
            [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        ),
    ];
    /// sRGB to XYZ of D65, and the white point.
    const XYZ: Matrix =
        [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]];
    const D65: [f64; 3] = [0.95047, 1.0, 1.08883];

    fn times(m: &Matrix, v: [f64; 3]) -> [f64; 3] {
        m.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
    }

    /// CIELAB of a color as somebody with this vision sees it.
    fn lab(color: Rgb, vision: &Matrix) -> [f64; 3] {
        let linear = color.map(|c| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        });
        let seen = times(vision, linear).map(|v| v.clamp(0.0, 1.0));
        let xyz = times(&XYZ, seen);
        let f = |i: usize| {
            let t = xyz[i] / D65[i];
            if t > 216.0 / 24389.0 { t.cbrt() } else { (24389.0 / 27.0 * t + 16.0) / 116.0 }
        };
        [116.0 * f(1) - 16.0, 500.0 * (f(0) - f(1)), 200.0 * (f(1) - f(2))]
    }

    fn smallest_difference(colors: &[Rgb], vision: &Matrix) -> f64 {
        let at = |i: usize| lab(colors[i], vision);
        let difference = |i: usize, j: usize| at(i).iter().zip(at(j)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        let pairs = (0..colors.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        pairs.map(|(i, j)| difference(i, j)).fold(f64::INFINITY, f64::min)
    }

    /// A difference of 2.3 is just noticeable side by side; dots apart need far more. Our palette has
    /// 17.9; the one before it had 4.0 for protanopia.
    #[test]
    fn classes_differ_for_every_color_vision() {
        let before = [[51, 99, 141], [200, 85, 61], [74, 145, 98], [128, 94, 152], [208, 150, 44], [92, 104, 116]];
        assert!(smallest_difference(&before, &VISIONS[1].1) < 5.0);
        let (regions, papers) = (CURVES.map(region), CURVES.map(|color| [color, WHITE]));
        for (name, vision) in &VISIONS {
            let lines = smallest_difference(&CURVES, vision);
            assert!(lines >= 15.0, "{name}: {lines}");
            let regions = smallest_difference(&regions, vision);
            assert!(regions >= 5.0, "{name}: regions {regions}");
            for pair in &papers {
                assert!(smallest_difference(pair, vision) >= 25.0, "{name}: {pair:?} on paper");
            }
        }
    }
}
