"""The tests; a package, so that they find each other's helpers from a bare clone."""
