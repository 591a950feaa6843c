"""trec_eval: its measures by its own names, over the queries that it prints, in the order and form that it prints them."""
