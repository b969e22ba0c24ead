//! `mercer serve` and `mercer lab` from outside: raw sockets in, bytes out.

mod attacks;
mod common;
mod infer;
mod lab;
mod limits;
mod load;
mod models;
mod predictions;
mod security;
