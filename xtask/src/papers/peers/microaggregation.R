# MDAV by sdcMicro; called by `cargo xtask peers` with a table, k, and where the result goes.
arguments <- commandArgs(trailingOnly = TRUE)
suppressPackageStartupMessages(library(sdcMicro))
data <- read.csv(arguments[1])
seconds <- system.time(made <- microaggregation(data, variables = names(data), aggr = as.integer(arguments[2]), method = "mdav"))[["elapsed"]]
write.csv(made$mx, arguments[3], row.names = FALSE, quote = FALSE)
cat(sprintf('{"seconds": %f, "version": "%s"}\n', seconds, as.character(packageVersion("sdcMicro"))))
