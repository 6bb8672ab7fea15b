"""XQuery: its normal form, and how it is made."""
