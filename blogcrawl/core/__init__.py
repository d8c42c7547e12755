"""Records, errors, configuration, fetched pages and the network guard: what every room uses."""
