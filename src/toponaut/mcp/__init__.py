"""A crawl as tools for language models, by the Model Context Protocol. Nothing can be changed."""
