def has_fast_rows(q): return False
def fast_rows(q): return None
