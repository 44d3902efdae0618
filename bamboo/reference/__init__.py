"""What the YAML files and the classes say about commands, groups and options.

`bamboo help`, `bamboo list`, shell completion and the reference of the documentation site read the
same descriptions. No class is imported for them, so that they appear at once.
"""
