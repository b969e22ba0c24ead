//! Points that are no vectors: a classifier of words.

use mercer::points::Strings;
use mercer::prelude::*;

pub fn run(compute: &Compute) -> Result<()> {
    let words: Strings = ["banana", "bandana", "cabana", "rhythm", "crypt", "lynx"].into_iter().collect();
    let classes = Classes::from_texts(["vowels", "vowels", "vowels", "none", "none", "none"]);
    let fit = Svc::new("normalized(spectrum(length=2))".parse()?, 10.0).fit(&words, &classes, None, compute)?;
    let new: Strings = ["bananas", "lynxes"].into_iter().collect();
    println!("classes of bananas and lynxes: {:?}", fit.predict(&new, compute)?);
    Ok(())
}
