//! Plans of privet's operators as bytes, so that they can travel to executors: JSON for what is small, Arrow for the look-up tables.

use std::io::Cursor;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{ArrayRef, RecordBatch, UInt32Array};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{Field, Schema, SchemaRef};
use ballista_core::serde::BallistaPhysicalExtensionCodec;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use serde::{Deserialize, Serialize};

use crate::look::LookExec;
use crate::parts::{Destination, WriteExec};
use crate::recode::{ColumnTable, LookupTables, RecodeExec};
use crate::scan::ScanExec;
use crate::table::{FileTable, Stretch, TableFile};
use crate::values::ColumnReading;

/// How the bytes of an operator of privet begin; all others are those of Ballista.
const MAGIC: &[u8] = b"privet-operator-1\n";

/// Writes and reads operators of privet, and leaves all others to Ballista.
#[derive(Debug, Default)]
pub struct Codec {
    others: BallistaPhysicalExtensionCodec,
}

#[derive(Serialize, Deserialize)]
enum Operator {
    Scan {
        files: Vec<TableFile>,
        folder_columns: usize,
        projection: Vec<usize>,
        parts: Vec<Vec<Stretch>>,
        by_bits: bool,
    },
    Recode {
        columns: Vec<(String, bool)>,
        told_apart: Vec<Option<ColumnReading>>,
        quasi: Vec<usize>,
        as_numbers: bool,
    },
    Look(Vec<ColumnReading>),
    Write(Destination),
}

impl PhysicalExtensionCodec for Codec {
    fn try_decode(
        &self,
        buf: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        ctx: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(own) = buf.strip_prefix(MAGIC) else {
            return self.others.try_decode(buf, inputs, ctx, converter);
        };
        let (operator, mut arrays) = unpack(own)?;
        let input = || inputs.first().map(Arc::clone).ok_or_else(|| broken("it has no input"));
        Ok(match operator {
            Operator::Scan { files, folder_columns, projection, parts, by_bits } => {
                let schema = arrays.next_schema()?;
                let table = FileTable { files, schema, folder_columns };
                Arc::new(ScanExec::with_numbers(
                    input()?,
                    Arc::new(table),
                    projection,
                    Arc::new(parts),
                    by_bits,
                )?)
            }
            Operator::Recode { columns, told_apart, quasi, as_numbers } => {
                let schema = arrays.next_schema()?;
                let all = columns.into_iter().zip(told_apart).zip(schema.fields());
                let columns = all.map(|(((name, looked_up), told_apart), field)| {
                    let values = match looked_up {
                        true => Some((arrays.next()?, numbers(&arrays.next()?)?, arrays.next()?)),
                        false => None,
                    };
                    Ok(ColumnTable { name, kind: field.data_type().clone(), values, told_apart })
                });
                let columns = columns.collect::<Result<Vec<_>>>()?;
                let quasi = quasi.into_iter().map(|own| Ok((own, numbers(&arrays.next()?)?)));
                let quasi = quasi.collect::<Result<Vec<_>>>()?;
                let by_column = quasi.iter().map(|_| numbers(&arrays.next()?)).collect::<Result<Vec<_>>>()?;
                let classes = by_column.first().map_or(0, Vec::len);
                let suppressed = (0..classes).map(|class| by_column.iter().map(|own| own[class]).collect());
                let tables = LookupTables { columns, quasi, suppressed: suppressed.collect(), as_numbers };
                Arc::new(RecodeExec::new(input()?, Arc::new(tables)))
            }
            Operator::Look(readings) => Arc::new(LookExec::new(input()?, Arc::new(readings))),
            Operator::Write(destination) => Arc::new(WriteExec::new(input()?, Arc::new(destination))),
        })
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        buf: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        if let Some(own) = node.downcast_ref::<ScanExec>() {
            let FileTable { files, folder_columns, schema } = &*own.table;
            let operator = Operator::Scan {
                files: files.clone(),
                folder_columns: *folder_columns,
                projection: own.projection.clone(),
                parts: own.parts.to_vec(),
                by_bits: own.by_bits,
            };
            return pack(buf, &operator, &[Packed::Schema(Arc::clone(schema))]);
        }
        if let Some(own) = node.downcast_ref::<RecodeExec>() {
            let tables = &own.tables;
            let fields = tables.columns.iter().map(|own| Field::new(&own.name, own.kind.clone(), true));
            let mut packed = vec![Packed::Schema(Arc::new(Schema::new(fields.collect::<Vec<_>>())))];
            for (distinct, places, values) in tables.columns.iter().filter_map(|own| own.values.as_ref()) {
                packed.push(Packed::Array(Arc::clone(distinct)));
                packed.push(Packed::numbers(places.iter().copied()));
                packed.push(Packed::Array(Arc::clone(values)));
            }
            packed.extend(tables.quasi.iter().map(|own| Packed::numbers(own.1.iter().copied())));
            let suppressed = |column: usize| tables.suppressed.iter().map(move |class| class[column]);
            packed.extend((0..tables.quasi.len()).map(|column| Packed::numbers(suppressed(column))));
            let operator = Operator::Recode {
                columns: tables.columns.iter().map(|own| (own.name.clone(), own.values.is_some())).collect(),
                told_apart: tables.columns.iter().map(|own| own.told_apart.clone()).collect(),
                quasi: tables.quasi.iter().map(|own| own.0).collect(),
                as_numbers: tables.as_numbers,
            };
            return pack(buf, &operator, &packed);
        }
        if let Some(own) = node.downcast_ref::<LookExec>() {
            return pack(buf, &Operator::Look(own.readings.to_vec()), &[]);
        }
        if let Some(own) = node.downcast_ref::<WriteExec>() {
            return pack(buf, &Operator::Write((*own.destination).clone()), &[]);
        }
        self.others.try_encode(node, buf, converter)
    }
}

fn broken(problem: &str) -> DataFusionError {
    DataFusionError::Execution(format!("an operator of privet cannot be read: {problem}"))
}

/// What goes as Arrow.
enum Packed {
    Schema(SchemaRef),
    Array(ArrayRef),
}

impl Packed {
    fn numbers(numbers: impl Iterator<Item = u32>) -> Self {
        Self::Array(Arc::new(UInt32Array::from_iter_values(numbers)))
    }
}

fn pack(buf: &mut Vec<u8>, operator: &Operator, arrays: &[Packed]) -> Result<()> {
    let json = serde_json::to_vec(operator).map_err(|_| broken("it has no JSON"))?;
    buf.extend_from_slice(MAGIC);
    put(buf, &json);
    for own in arrays {
        let mut bytes = Vec::new();
        let (schema, array) = match own {
            Packed::Schema(schema) => (Arc::clone(schema), None),
            Packed::Array(array) => {
                let field = Field::new("values", array.data_type().clone(), true);
                (Arc::new(Schema::new(vec![field])), Some(array))
            }
        };
        let mut writer = StreamWriter::try_new(&mut bytes, &schema)?;
        if let Some(array) = array {
            writer.write(&RecordBatch::try_new(schema, vec![Arc::clone(array)])?)?;
        }
        writer.finish()?;
        drop(writer);
        put(buf, &bytes);
    }
    Ok(())
}

/// The length of some bytes, and then these.
fn put(buf: &mut Vec<u8>, bytes: &[u8]) {
    buf.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    buf.extend_from_slice(bytes);
}

fn unpack(bytes: &[u8]) -> Result<(Operator, Unpacked<'_>)> {
    let mut unpacked = Unpacked { rest: bytes };
    let json = unpacked.bytes()?;
    let operator = serde_json::from_slice(json).map_err(|_| broken("its JSON is that of another version"))?;
    Ok((operator, unpacked))
}

struct Unpacked<'a> {
    rest: &'a [u8],
}

impl<'a> Unpacked<'a> {
    fn bytes(&mut self) -> Result<&'a [u8]> {
        let short = || broken("it is cut off");
        let (length, rest) = self.rest.split_first_chunk::<8>().ok_or_else(short)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| short())?;
        let (own, rest) = rest.split_at_checked(length).ok_or_else(short)?;
        self.rest = rest;
        Ok(own)
    }

    fn next_schema(&mut self) -> Result<SchemaRef> {
        Ok(StreamReader::try_new(Cursor::new(self.bytes()?), None)?.schema())
    }

    fn next(&mut self) -> Result<ArrayRef> {
        let mut reader = StreamReader::try_new(Cursor::new(self.bytes()?), None)?;
        let batch = reader.next().ok_or_else(|| broken("it lacks a table"))??;
        batch.columns().first().map(Arc::clone).ok_or_else(|| broken("a table is empty"))
    }
}

fn numbers(array: &ArrayRef) -> Result<Vec<u32>> {
    let numbers = array.as_primitive_opt::<UInt32Type>();
    Ok(numbers.ok_or_else(|| broken("numbers are expected"))?.values().to_vec())
}
