"""XQuery: the parser of the subset, built on XPath's, its syntax tree and its printer."""
