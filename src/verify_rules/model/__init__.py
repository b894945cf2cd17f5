"""Names and types resolved: the immutable `Model` (`model`), its formulas (`expr`), types and values (`types`)."""
