"""Tables of counts and times."""
