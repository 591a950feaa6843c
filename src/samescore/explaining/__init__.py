"""Explaining: the walk from one policy to another, and the search of all policies for reported numbers."""
