"""The normal form of queries, and the way to it from the syntax tree."""
