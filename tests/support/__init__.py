"""Helpers that several tests share: generators of documents and queries, and the engines they are compared with."""
