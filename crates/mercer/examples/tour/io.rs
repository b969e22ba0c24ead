//! A table from text.

use mercer::io::{ReadOptions, read_table_from};
use mercer::prelude::*;

pub fn run(compute: &Compute) -> Result<()> {
    let text = "speed;kind\n4.5;slow\n7;fast\n";
    let table = read_table_from(text.as_bytes(), "cars.csv", &ReadOptions::default(), compute)?;
    println!("columns {:?}", table.names().collect::<Vec<_>>());
    Ok(())
}
