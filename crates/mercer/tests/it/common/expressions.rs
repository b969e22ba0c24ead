//! Random kernel expressions over the whole catalogue.

use mercer::{Kernel, Stream};

/// A random expression: an example of the catalogue, or an operation on smaller expressions.
pub fn random_kernel(random: &mut Stream, depth: usize) -> Kernel {
    random_from(&super::examples(), random, depth)
}

/// A random expression of kernels on vectors.
pub fn random_vector_kernel(random: &mut Stream, depth: usize) -> Kernel {
    random_from(&super::vector_examples(), random, depth)
}

fn random_from(examples: &[&str], random: &mut Stream, depth: usize) -> Kernel {
    if depth == 0 || random.uniform() < 0.2 {
        return random_example(examples, random);
    }
    let inner = |random: &mut Stream| random_from(examples, random, depth - 1);
    match random.below(11) {
        0 | 1 => inner(random) + inner(random),
        2 | 3 => inner(random) * inner(random),
        4 => inner(random).scaled(random_number(random)).expect("a positive scale"),
        5 => inner(random).power((1 + random.below(4)) as f64).expect("a small power"),
        6 => inner(random).normalized(),
        7 => wrap("exp(", &inner(random), ")"),
        8 => wrap("minus(", &inner(random), &format!(", {})", inner(random))),
        9 => wrap("schoenberg(", &inner(random), &format!(", t={:?})", random_number(random))),
        _ => wrap("on([0, 2], ", &inner(random), ")"),
    }
}

fn wrap(before: &str, kernel: &Kernel, after: &str) -> Kernel {
    let text = format!("{before}{kernel}{after}");
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// A positive number of any size.
fn random_number(random: &mut Stream) -> f64 {
    (3.0 * random.normal()).exp()
}

/// An example of the catalogue with its parameters at random places.
fn random_example(examples: &[&str], random: &mut Stream) -> Kernel {
    let kernel: Kernel = examples[random.below(examples.len())].parse().expect("an example of the catalogue");
    let values: Vec<f64> = kernel.parameters().iter().map(|_| random_number(random)).collect();
    kernel.with_parameters(&values).unwrap_or(kernel)
}
