//! A plan as a table, so that queries can be asked about what an operator of privet makes.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::projection::ProjectionExec;

/// A plan as a table.
#[derive(Debug)]
pub struct PlanTable {
    plan: Arc<dyn ExecutionPlan>,
}

impl PlanTable {
    /// The table that a plan makes.
    pub fn new(plan: Arc<dyn ExecutionPlan>) -> Self {
        Self { plan }
    }
}

#[async_trait]
impl TableProvider for PlanTable {
    fn schema(&self) -> SchemaRef {
        self.plan.schema()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        _limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(projection) = projection else { return Ok(Arc::clone(&self.plan)) };
        let schema = self.plan.schema();
        let column = |&place: &usize| {
            let name = schema.field(place).name().clone();
            (Arc::new(Column::new(&name, place)) as Arc<dyn PhysicalExpr>, name)
        };
        let columns: Vec<(Arc<dyn PhysicalExpr>, String)> = projection.iter().map(column).collect();
        Ok(Arc::new(ProjectionExec::try_new(columns, Arc::clone(&self.plan))?))
    }
}
