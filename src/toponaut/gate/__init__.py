"""Which links may enter a frontier: traps, floods, languages and the job's own limits."""
