"""Our queue beside its peers: the same jobs, the same server, the same run."""
