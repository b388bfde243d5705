"""What `make bench` measures: see `bench/results.md`."""
