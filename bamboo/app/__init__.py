"""The command line: an application of Hydra for each function of `bamboo.api`."""
