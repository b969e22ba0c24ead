//! Round numbers along an axis.

/// Round numbers within `[low, high]`, about as many as requested: multiples of 1, 2 or 5 times a
/// power of ten.
pub fn round(low: f64, high: f64, about: usize) -> Vec<f64> {
    let span = high - low;
    if !(span.is_finite() && span > 0.0) {
        return Vec::new();
    }
    let step = round_step(span / about.max(1) as f64);
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    (0..=(last - first) as usize).map(|i| (first + i as f64) * step).collect()
}

fn round_step(rough: f64) -> f64 {
    let power = 10_f64.powf(rough.log10().floor());
    let digit = rough / power;
    // The nearest step: with the next larger one a range has as few as half of the ticks requested.
    let step = match digit {
        d if d < 1.5 => 1.0,
        d if d < 2.9 => 2.0,
        d if d < 7.0 => 5.0,
        _ => 10.0,
    };
    step * power
}

/// Integers for rows and columns of a matrix.
pub fn whole(count: usize, about: usize) -> Vec<f64> {
    let mut marks = round(0.0, count as f64, about);
    marks.retain(|m| m.fract() == 0.0 && *m < count as f64);
    marks
}

/// A number beside a tick.
pub fn label(value: f64) -> String {
    crate::numbers::digits(if value.abs() < 1e-12 { 0.0 } else { value }, 4).replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let close = |found: Vec<f64>, expected: &[f64]| {
            assert_eq!(found.len(), expected.len(), "{found:?}");
            mercer::assert_close!(found.iter(), expected, each = 1e-12, "{found:?}");
        };
        close(round(0.0, 1.0, 5), &[0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        close(round(-3.3, 7.1, 5), &[-2.0, 0.0, 2.0, 4.0, 6.0]);
        close(round(-3.0, 98.0, 4), &[0.0, 20.0, 40.0, 60.0, 80.0]);
        close(whole(150, 5), &[0.0, 50.0, 100.0]);
        assert!(round(1.0, 1.0, 5).is_empty() && round(0.0, f64::NAN, 5).is_empty());
    }
}
