//! `y += Σ aᵣ rowᵣ` for rows that lie anywhere.

use pulp::{Arch, Simd, WithSimd};

use super::element::Element;

/// `out += Σᵣ factorᵣ · rowᵣ`, in order, four rows in one pass. The rows are as long as `out`.
pub(crate) fn add_rows<T: Element>(rows: &[(&[T], f64)], out: &mut [f64]) {
    Arch::new().dispatch(AddRows { rows, out });
}

struct AddRows<'a, 'r, T> {
    rows: &'a [(&'r [T], f64)],
    out: &'a mut [f64],
}

impl<T: Element> WithSimd for AddRows<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let n = self.out.len();
        let (quads, rest) = self.rows.as_chunks::<4>();
        for [a, b, c, d] in quads {
            let [x, y, z, w] = [a.1, b.1, c.1, d.1];
            let [a, b, c, d] = [&a.0[..n], &b.0[..n], &c.0[..n], &d.0[..n]];
            for (j, o) in self.out.iter_mut().enumerate() {
                *o += (a[j].to_f64() * x + b[j].to_f64() * y) + (c[j].to_f64() * z + d[j].to_f64() * w);
            }
        }
        for (row, factor) in rest {
            self.out.iter_mut().zip(*row).for_each(|(o, v)| *o += factor * v.to_f64());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::add_rows;

    #[test]
    fn rows_are_added_in_any_number() {
        let rows: Vec<Vec<f32>> = (0..11).map(|r| (0..37).map(|j| (r * j) as f32 + 0.5).collect()).collect();
        for count in 0..rows.len() {
            let list: Vec<(&[f32], f64)> =
                rows[..count].iter().enumerate().map(|(r, v)| (v.as_slice(), r as f64)).collect();
            let mut out = vec![1.0; 37];
            add_rows(&list, &mut out);
            for (j, found) in out.iter().enumerate() {
                let expected: f64 = 1.0 + (0..count).map(|r| r as f64 * ((r * j) as f64 + 0.5)).sum::<f64>();
                assert_eq!(*found, expected);
            }
        }
    }
}
