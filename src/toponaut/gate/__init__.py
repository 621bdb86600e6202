"""Which links may enter a frontier: actions, traps, floods, languages, the job's own limits."""
