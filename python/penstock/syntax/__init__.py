"""From query text to syntax trees, and back."""
