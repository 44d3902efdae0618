"""Files, text and packages: helpers without any knowledge of graphs."""
