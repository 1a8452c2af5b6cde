//! The page over HTTP: the whole flow, every security property, load, and a program that is killed. One test binary.

mod client;
mod endurance;
mod flow;
mod hand_over;
mod safety;
mod shapes;
