//! The job file, and the run from a file of people to a finished release.
#![forbid(unsafe_code)]
