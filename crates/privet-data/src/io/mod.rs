//! Tables from files and back: CSV, Parquet, Arrow IPC.
