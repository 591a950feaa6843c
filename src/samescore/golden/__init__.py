"""Golden sets: judgements told apart, looked through and split."""
