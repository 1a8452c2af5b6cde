//! The command line from the outside: the built program, run in temporary directories.

mod algorithms;
mod answer;
mod attack;
mod bad_hierarchies;
mod bad_jobs;
mod bad_tables;
mod columns;
mod condense;
mod control;
mod counts;
mod crash;
mod criteria;
mod dir;
mod exit_codes;
mod first_steps;
mod groups;
mod measure;
mod memory;
mod missing;
mod people;
mod places;
mod query;
mod repeat;
mod search;
