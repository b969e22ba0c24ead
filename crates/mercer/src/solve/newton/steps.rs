//! Common parts of Newton's methods over coefficients and constants.

use ndarray::{Array1, Array2, ArrayView2, s};

use crate::Result;

/// Halvings of a step before it counts as hopeless. Such a step is 10⁻⁹ of the first.
const HALVINGS: usize = 30;

/// The state after a step that is halved until it is good enough; the state before where no part of
/// it is.
pub(super) fn halved<S>(state: S, after: impl Fn(&S, f64) -> Result<S>, good: impl Fn(&S, &S) -> bool) -> Result<S> {
    let mut length = 1.0;
    for _ in 0..HALVINGS {
        let next = after(&state, length)?;
        if good(&state, &next) {
            return Ok(next);
        }
        length *= 0.5;
    }
    Ok(state)
}

/// Coefficients, with the constants in a last row where there are some.
pub(crate) fn joined(mut w: Array2<f64>, b: Array1<f64>, constants: bool) -> Array2<f64> {
    if constants {
        w.push_row(b.view()).expect("one column per output in both parts");
    }
    w
}

/// The coefficients and the constants of [`joined`]; constants that are not there are 0.
pub(super) fn parted(v: ArrayView2<'_, f64>, constants: bool) -> (ArrayView2<'_, f64>, Array1<f64>) {
    if !constants {
        return (v, Array1::zeros(v.ncols()));
    }
    let last = v.nrows() - 1;
    let b = v.row(last).to_owned();
    (v.slice_move(s![..last, ..]), b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn steps_are_halved_until_they_fall() {
        // From 1 toward −8 the square falls first after an eighth of the way.
        let to = |x: &f64, length: f64| Ok(x - 9.0 * length);
        assert_eq!(halved(1.0, to, |x, y| y * y <= x * x).unwrap(), 1.0 - 9.0 / 8.0);
        assert_eq!(halved(1.0, to, |_, _| false).unwrap(), 1.0);
    }

    #[test]
    fn parts_are_those_that_were_joined() {
        let (w, b) = (array![[1.0, 2.0], [3.0, 4.0]], array![5.0, 6.0]);
        let both = joined(w.clone(), b.clone(), true);
        assert_eq!(parted(both.view(), true), (w.view(), b));
        assert_eq!(parted(w.view(), false), (w.view(), array![0.0, 0.0]));
    }
}
