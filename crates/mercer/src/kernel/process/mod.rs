//! Covariances of processes, and Sobolev kernels on the line.

pub mod bridge;
pub mod brownian;
pub mod sobolev;
pub mod weighted_sobolev;
pub mod wiener;
