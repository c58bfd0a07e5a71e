"""The set-up: installs the packages and compilers that a build needs."""
