//! Errors of the library as exceptions, one class for each exit code of the command line.

use privet_kind::{Fault, KindError};
use pyo3::exceptions::{PyException, PyKeyboardInterrupt};
use pyo3::prelude::*;

pyo3::create_exception!(privet, PrivetError, PyException, "The base of all errors of privet.");
pyo3::create_exception!(
    privet,
    Refused,
    PrivetError,
    "The gate said no, or a promise cannot be kept. No release was written."
);
pyo3::create_exception!(
    privet,
    InvalidInput,
    PrivetError,
    "The data, the job or the arguments are at fault; the message says what is accepted."
);
pyo3::create_exception!(
    privet,
    BudgetExceeded,
    PrivetError,
    "The privacy budget does not suffice. Nothing was charged."
);
pyo3::create_exception!(privet, ResourcesExhausted, PrivetError, "Memory, disk or time ran out.");

/// Adds the classes to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("PrivetError", py.get_type::<PrivetError>())?;
    module.add("Refused", py.get_type::<Refused>())?;
    module.add("InvalidInput", py.get_type::<InvalidInput>())?;
    module.add("BudgetExceeded", py.get_type::<BudgetExceeded>())?;
    module.add("ResourcesExhausted", py.get_type::<ResourcesExhausted>())
}

/// Why something was not done, before it becomes an exception: threads without the interpreter carry it.
#[derive(Debug)]
pub struct Failure {
    fault: Fault,
    message: String,
}

impl Failure {
    /// An argument is at fault.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self { fault: Fault::BadInput, message: message.into() }
    }
}

impl From<KindError> for Failure {
    fn from(error: KindError) -> Self {
        Self { fault: error.fault(), message: error.to_string() }
    }
}

/// The outcome of a job as a fault.
fn fault_of(outcome: privet_job::Outcome) -> Fault {
    match outcome {
        privet_job::Outcome::Refused => Fault::Refused,
        privet_job::Outcome::BadInput => Fault::BadInput,
        privet_job::Outcome::Budget => Fault::Budget,
        privet_job::Outcome::Resources => Fault::Resources,
        privet_job::Outcome::Stopped => Fault::Stopped,
    }
}

impl From<privet_job::RunError> for Failure {
    fn from(error: privet_job::RunError) -> Self {
        Self { fault: fault_of(error.outcome()), message: error.to_string() }
    }
}

impl From<privet::AssessError> for Failure {
    fn from(error: privet::AssessError) -> Self {
        match error {
            privet::AssessError::Views(error) => error.into(),
            privet::AssessError::Table(error) => error.into(),
        }
    }
}

impl From<privet_job::JobError> for Failure {
    fn from(error: privet_job::JobError) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<privet_query::QueryError> for Failure {
    fn from(error: privet_query::QueryError) -> Self {
        Self { fault: fault_of(error.outcome()), message: error.to_string() }
    }
}

impl From<privet_release::VerifyError> for Failure {
    fn from(error: privet_release::VerifyError) -> Self {
        let fault = match &error {
            privet_release::VerifyError::Cancelled => Fault::Stopped,
            privet_release::VerifyError::TooLarge { .. } => Fault::Resources,
            _ => Fault::BadInput,
        };
        Self { fault, message: error.to_string() }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(_: serde_json::Error) -> Self {
        Self::invalid("an argument or a result cannot be written as JSON")
    }
}

impl From<Failure> for PyErr {
    fn from(Failure { fault, message }: Failure) -> Self {
        match fault {
            Fault::Refused => Refused::new_err(message),
            Fault::Budget => BudgetExceeded::new_err(message),
            Fault::Resources => ResourcesExhausted::new_err(message),
            Fault::Stopped => PyKeyboardInterrupt::new_err(message),
            _ => InvalidInput::new_err(message),
        }
    }
}
