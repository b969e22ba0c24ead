//! Sums and products over the poles of a secular equation, in the vector arithmetic of the machine.

use pulp::{Arch, Simd, WithSimd};

/// `Σ wᵢ²/(dᵢ − t)` and its derivative `Σ wᵢ²/(dᵢ − t)²`.
pub(crate) fn sums(weights: &[f64], poles: &[f64], at: f64) -> (f64, f64) {
    Arch::new().dispatch(Sums { weights, poles, at })
}

struct Sums<'a> {
    weights: &'a [f64],
    poles: &'a [f64],
    at: f64,
}

impl WithSimd for Sums<'_> {
    type Output = (f64, f64);

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> (f64, f64) {
        let (weights, weights_tail) = S::as_simd_f64s(self.weights);
        let (poles, poles_tail) = S::as_simd_f64s(self.poles);
        let at = simd.splat_f64s(self.at);
        let mut sum = (simd.splat_f64s(0.0), simd.splat_f64s(0.0));
        for i in 0..weights.len().min(poles.len()) {
            sum = add_term(simd, weights[i], poles[i], at, sum);
        }
        // Lanes behind the end have the weight zero, and `t` is not zero.
        let (weight, pole) = (simd.partial_load_f64s(weights_tail), simd.partial_load_f64s(poles_tail));
        sum = add_term(simd, weight, pole, at, sum);
        (simd.reduce_sum_f64s(sum.0), simd.reduce_sum_f64s(sum.1))
    }
}

#[inline(always)]
fn add_term<S: Simd>(
    simd: S,
    weight: S::f64s,
    pole: S::f64s,
    at: S::f64s,
    sum: (S::f64s, S::f64s),
) -> (S::f64s, S::f64s) {
    let ratio = simd.div_f64s(weight, simd.sub_f64s(pole, at));
    (simd.mul_add_e_f64s(weight, ratio, sum.0), simd.mul_add_e_f64s(ratio, ratio, sum.1))
}

/// `Π (λₖ − d)/(dₖ − d)` for roots `λₖ`, which are offsets from their origins, and poles `dₖ`.
pub(crate) fn ratios(origins: &[f64], offsets: &[f64], poles: &[f64], at: f64) -> f64 {
    Arch::new().dispatch(Ratios { origins, offsets, poles, at })
}

struct Ratios<'a> {
    origins: &'a [f64],
    offsets: &'a [f64],
    poles: &'a [f64],
    at: f64,
}

impl WithSimd for Ratios<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let (origins, origins_tail) = S::as_simd_f64s(self.origins);
        let (offsets, offsets_tail) = S::as_simd_f64s(self.offsets);
        let (poles, poles_tail) = S::as_simd_f64s(self.poles);
        let at = simd.splat_f64s(self.at);
        let mut product = simd.splat_f64s(1.0);
        for i in 0..poles.len().min(origins.len()).min(offsets.len()) {
            let root = simd.add_f64s(simd.sub_f64s(origins[i], at), offsets[i]);
            product = simd.mul_f64s(product, simd.div_f64s(root, simd.sub_f64s(poles[i], at)));
        }
        let mut last = simd.reduce_product_f64s(product);
        for i in 0..poles_tail.len() {
            last *= ((origins_tail[i] - self.at) + offsets_tail[i]) / (poles_tail[i] - self.at);
        }
        last
    }
}

/// The unit vector along `wᵢ/(dᵢ − λ)`, where `λ` is an offset from its origin.
pub(crate) fn eigenvector(poles: &[f64], weights: &[f64], origin: f64, offset: f64, out: &mut [f64]) {
    Arch::new().dispatch(Eigenvector { poles, weights, origin, offset, out });
}

struct Eigenvector<'a> {
    poles: &'a [f64],
    weights: &'a [f64],
    origin: f64,
    offset: f64,
    out: &'a mut [f64],
}

impl WithSimd for Eigenvector<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (poles, poles_tail) = S::as_simd_f64s(self.poles);
        let (weights, weights_tail) = S::as_simd_f64s(self.weights);
        let (out, out_tail) = S::as_mut_simd_f64s(self.out);
        let (origin, offset) = (simd.splat_f64s(self.origin), simd.splat_f64s(self.offset));
        let mut squares = simd.splat_f64s(0.0);
        for i in 0..out.len().min(poles.len()).min(weights.len()) {
            out[i] = simd.div_f64s(weights[i], simd.sub_f64s(simd.sub_f64s(poles[i], origin), offset));
            squares = simd.mul_add_e_f64s(out[i], out[i], squares);
        }
        let mut square = simd.reduce_sum_f64s(squares);
        for i in 0..out_tail.len() {
            out_tail[i] = weights_tail[i] / ((poles_tail[i] - self.origin) - self.offset);
            square += out_tail[i] * out_tail[i];
        }
        let inverse = 1.0 / square.sqrt();
        for i in 0..self.out.len() {
            self.out[i] *= inverse;
        }
    }
}
