"""The beginning of new chapters and assignments."""
