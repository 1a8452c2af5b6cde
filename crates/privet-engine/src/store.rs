//! Where objects lie: the file system, an object store, or memory, by the scheme of an address.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectStore, ObjectStoreExt};
use parquet::arrow::arrow_reader::ArrowReaderOptions;
use parquet::arrow::async_reader::AsyncFileReader;
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use privet_job::engine::EngineError;
use url::Url;

/// Stores in memory by their names, for tests and for tables that another part of a program holds.
fn memories() -> &'static Mutex<HashMap<String, Arc<InMemory>>> {
    static MEMORIES: OnceLock<Mutex<HashMap<String, Arc<InMemory>>>> = OnceLock::new();
    MEMORIES.get_or_init(Mutex::default)
}

/// The store in memory of this name, `memory://NAME/…`.
pub fn memory(name: &str) -> Arc<InMemory> {
    let mut all = memories().lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(all.entry(name.to_owned()).or_default())
}

/// The store that an address lies in.
///
/// # Errors
/// When its scheme is another one than those that are known.
pub fn store_of(url: &Url) -> Result<Arc<dyn ObjectStore>, EngineError> {
    match url.scheme() {
        "file" => Ok(Arc::new(LocalFileSystem::new())),
        "memory" => Ok(memory(url.host_str().unwrap_or_default())),
        #[cfg(feature = "s3")]
        "s3" => {
            let store = object_store::aws::AmazonS3Builder::from_env().with_url(url.as_str()).build();
            let store = store.map_err(|_| {
                EngineError::input(format!(
                    "{}: the store cannot be reached; AWS_REGION, AWS_ENDPOINT and the credentials come from the environment",
                    address_of(url)
                ))
            })?;
            Ok(Arc::new(store))
        }
        #[cfg(not(feature = "s3"))]
        "s3" => {
            Err(EngineError::input("this privet-cluster was built without S3; build it with --features s3"))
        }
        other => Err(EngineError::input(format!(
            "addresses that begin with {other}:// are not known; a path, file://, s3:// and postgres:// are"
        ))),
    }
}

/// What an input path stands for: an address, or a path as an address of a file.
///
/// # Errors
/// When it is neither.
pub fn url_of(base: &Path, input: &Path) -> Result<Url, EngineError> {
    if let Some(text) = input.to_str().filter(|text| text.contains("://")) {
        return Url::parse(text).map_err(|_| EngineError::input("`input.path` is no address"));
    }
    let path = std::path::absolute(base.join(input))
        .map_err(|error| EngineError::input(format!("{}: {error}", input.display())))?;
    // Links are followed, so that what is listed lies where it was looked for.
    let path = std::fs::canonicalize(&path).unwrap_or(path);
    Url::from_file_path(&path)
        .map_err(|()| EngineError::input(format!("{}: this is no path", input.display())))
}

/// An address as it is told, without a password.
pub fn address_of(url: &Url) -> String {
    match url.to_file_path() {
        Ok(path) if url.scheme() == "file" => path.display().to_string(),
        _ => {
            let mut url = url.clone();
            // why: an address that can have no password has none
            let _ = url.set_password(None);
            url.into()
        }
    }
}

/// A Parquet file in a store.
pub(crate) struct ObjectReader {
    /// The store.
    pub store: Arc<dyn ObjectStore>,
    /// Where it lies there.
    pub path: ObjectPath,
    /// Its length in bytes.
    pub size: u64,
}

impl AsyncFileReader for ObjectReader {
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, ParquetResult<Bytes>> {
        async move { Ok(self.store.get_range(&self.path, range).await?) }.boxed()
    }

    fn get_byte_ranges(&mut self, ranges: Vec<Range<u64>>) -> BoxFuture<'_, ParquetResult<Vec<Bytes>>> {
        async move { Ok(self.store.get_ranges(&self.path, &ranges).await?) }.boxed()
    }

    fn get_metadata<'a>(
        &'a mut self,
        options: Option<&'a ArrowReaderOptions>,
    ) -> BoxFuture<'a, ParquetResult<Arc<ParquetMetaData>>> {
        async move {
            let options = options.map(|own| own.metadata_options().clone());
            let size = self.size;
            let reader = ParquetMetaDataReader::new().with_metadata_options(options);
            Ok(Arc::new(reader.load_and_finish(self, size).await?))
        }
        .boxed()
    }
}
