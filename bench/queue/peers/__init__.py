"""One adapter a peer. They run in the peers' own environment and import nothing of ours."""
