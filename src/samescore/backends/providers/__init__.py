"""ir_measures' other providers, each as a backend of its own: tools that define a measure, to be held against the reference."""
