"""Values, claims and questions within the text, and what a page is made of."""
