"""What the shipped models are trained with; not part of the installed package."""
