"""The version of both packages."""

VERSION = "0.1.0"
