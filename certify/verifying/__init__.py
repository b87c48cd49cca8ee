"""Whether a transformer recognizes the language of a formula or a DFA: by running it, and for all lengths by its exact
automaton."""
