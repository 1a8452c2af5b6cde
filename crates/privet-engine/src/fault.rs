//! What went wrong in an engine, told to the person who can act. The engines' own words are not passed on: they may quote data.

use datafusion::error::DataFusionError;
use privet_job::engine::EngineError;

/// How an error of privet is marked where only text travels, from an executor by way of the scheduler.
const OPEN: &str = "\u{2}privet:";
const CLOSE: char = '\u{3}';

/// An error on its way through an engine: found again by its type here, and by its marks where it came as text.
#[derive(Debug)]
pub(crate) struct Marked(pub EngineError);

impl std::error::Error for Marked {}

impl std::fmt::Display for Marked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = if self.0.is_resources() { 'r' } else { 'i' };
        write!(f, "{OPEN}{kind}{}{CLOSE}", self.0)
    }
}

/// An error that a person can act on, on its way through the engine.
pub(crate) fn external(error: EngineError) -> DataFusionError {
    DataFusionError::External(Box::new(Marked(error)))
}

/// What a person is told of an engine's error.
pub(crate) fn told(error: &DataFusionError) -> EngineError {
    if let Some(own) = marked(error) {
        return own;
    }
    match error.find_root() {
        DataFusionError::ResourcesExhausted(_) => EngineError::resources(
            "the engine's memory does not hold what must be held at once, even with the disk; raise engine.memory-limit, give \
             columns fewer distinct values, or make room on the disk for temporary files",
        ),
        DataFusionError::IoError(error) => EngineError::resources(format!(
            "the engine could not read or write a temporary file: {}",
            error.kind()
        )),
        DataFusionError::Internal(_) | DataFusionError::ExecutionJoin(_) => EngineError::resources(
            "the engine failed in a way that it does not explain; a smaller table tells whether the input is at fault",
        ),
        _ => EngineError::resources(
            "the engine ended before it was done: the scheduler or an executor was lost, or their disk is full; nothing was \
             published, and the job can be run again",
        ),
    }
}

fn marked(error: &DataFusionError) -> Option<EngineError> {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(own) = source {
        if let Some(Marked(error)) = own.downcast_ref::<Marked>() {
            return Some(error.clone());
        }
        source = own.source();
    }
    let text = error.to_string();
    let (_, rest) = text.split_once(OPEN)?;
    let (own, _) = rest.split_once(CLOSE)?;
    let message = own.get(1..)?.to_owned();
    Some(match own.starts_with('r') {
        true => EngineError::resources(message),
        false => EngineError::input(message),
    })
}
