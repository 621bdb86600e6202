# C types that weighing.py uses.
from toponaut.places.names.evidence cimport MatchEvidence, NameFacts, is_person, is_sure, match_odds
from toponaut.places.names.vocabulary cimport Vocabulary, WordFacts, sorted_index
