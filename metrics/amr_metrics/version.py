"""The version of both packages."""

VERSION = "0.2.0"
