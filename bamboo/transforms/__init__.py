"""The partitions of BAMBOO made from Main: pure transforms of graphs, and the builder of files."""
