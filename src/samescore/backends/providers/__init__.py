"""ir_measures' other providers, each as a backend of its own: tools that define a measure, to be held against the reference.

Its ranx provider is none of them: it fails with pandas 3, and has nothing that the backend ``ranx`` lacks.
"""
