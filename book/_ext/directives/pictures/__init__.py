"""Pictures of memory, drawn from the traces of the model."""
