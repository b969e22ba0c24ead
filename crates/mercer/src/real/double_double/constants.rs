//! Constants with 32 digits and more.

#![allow(clippy::approx_constant, reason = "the high parts are the constants of `f64`")]

use super::DoubleDouble;

/// `ln 2`.
pub(super) const LN_2: DoubleDouble = DoubleDouble::from_parts(0.6931471805599453, 2.3190468138462996e-17);

/// `π/2` as an unevaluated sum of three `f64`, for the reduction of angles.
pub(super) const HALF_PI: [f64; 3] = [1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33];

/// `1/n!`.
pub(super) const INVERSE_FACTORIALS: [DoubleDouble; 31] = [
    DoubleDouble::from_parts(1.0, 0.0),
    DoubleDouble::from_parts(1.0, 0.0),
    DoubleDouble::from_parts(0.5, 0.0),
    DoubleDouble::from_parts(0.16666666666666666, 9.25185853854297e-18),
    DoubleDouble::from_parts(0.041666666666666664, 2.3129646346357427e-18),
    DoubleDouble::from_parts(0.008333333333333333, 1.1564823173178714e-19),
    DoubleDouble::from_parts(0.001388888888888889, -5.300543954373577e-20),
    DoubleDouble::from_parts(0.0001984126984126984, 1.7209558293420705e-22),
    DoubleDouble::from_parts(2.48015873015873e-05, 2.1511947866775882e-23),
    DoubleDouble::from_parts(2.7557319223985893e-06, -1.858393274046472e-22),
    DoubleDouble::from_parts(2.755731922398589e-07, 2.3767714622250297e-23),
    DoubleDouble::from_parts(2.505210838544172e-08, -1.448814070935912e-24),
    DoubleDouble::from_parts(2.08767569878681e-09, -1.20734505911326e-25),
    DoubleDouble::from_parts(1.6059043836821613e-10, 1.2585294588752098e-26),
    DoubleDouble::from_parts(1.1470745597729725e-11, 2.0655512752830745e-28),
    DoubleDouble::from_parts(7.647163731819816e-13, 7.03872877733453e-30),
    DoubleDouble::from_parts(4.779477332387385e-14, 4.399205485834081e-31),
    DoubleDouble::from_parts(2.8114572543455206e-15, 1.6508842730861433e-31),
    DoubleDouble::from_parts(1.5619206968586225e-16, 1.1910679660273754e-32),
    DoubleDouble::from_parts(8.22063524662433e-18, 2.2141894119604265e-34),
    DoubleDouble::from_parts(4.110317623312165e-19, 1.4412973378659527e-36),
    DoubleDouble::from_parts(1.9572941063391263e-20, -1.3643503830087908e-36),
    DoubleDouble::from_parts(8.896791392450574e-22, -7.911402614872376e-38),
    DoubleDouble::from_parts(3.868170170630684e-23, -8.843177655482344e-40),
    DoubleDouble::from_parts(1.6117375710961184e-24, -3.6846573564509766e-41),
    DoubleDouble::from_parts(6.446950284384474e-26, -1.9330404233703465e-42),
    DoubleDouble::from_parts(2.4795962632247976e-27, -1.2953730964765229e-43),
    DoubleDouble::from_parts(9.183689863795546e-29, 1.4303150396787322e-45),
    DoubleDouble::from_parts(3.279889237069838e-30, 1.5117542744029879e-46),
    DoubleDouble::from_parts(1.1309962886447716e-31, 1.0498015412959506e-47),
    DoubleDouble::from_parts(3.7699876288159054e-33, 2.5870347832750324e-49),
];
