"""Measurements: workloads, peers, and bars. `penstock bench` runs them."""
