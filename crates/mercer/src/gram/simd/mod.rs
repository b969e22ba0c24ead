//! Vector arithmetic chosen at run time, and all the `unsafe` code of the library.

mod element;
mod fast32;
mod fast64;
mod map;
mod near;
pub(crate) mod pairs;
mod powers;
mod steps;

pub use element::{Element, Lane};
pub use fast32::Fast32;
pub use fast64::Fast64;
pub use map::{Formula, Mode, map, map_in_place};
pub(crate) use near::count_near;
pub use steps::{Steps, steps};
pub fn probe<T: Element>(term: u8, rows: &[T], cols: &[T], n: usize, m: usize, d: usize, out: &mut [T]) -> f64 {
    let _ = n;
    let p = pairs::Panels::new(cols, m, d);
    let t = std::time::Instant::now();
    pairs::fill([pairs::Term::Product, pairs::Term::Square, pairs::Term::Absolute][term as usize], rows, &p, 0, m, out);
    t.elapsed().as_secs_f64()
}
