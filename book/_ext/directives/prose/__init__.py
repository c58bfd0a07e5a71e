"""Values, claims and questions within the text, and facts about a page."""
