//! Sessions between real processes and over real connections, with faults; and what parties see of each other's inputs.

mod attacker;
mod distinguisher;
mod faults;
mod processes;
mod results;
mod setting;
