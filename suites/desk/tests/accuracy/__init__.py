"""Whether our readers say of a saved file what the application itself says, once it has opened the file again.

Documents are drawn from numbers (`drawing`), so that a number names a document for ever. The real application makes
and saves each, opens the saved file again and gives its account of it (`*_side.py`); our reader and the app's inspector
read the same bytes. Both accounts are plain data of one shape, and `agreement` compares every leaf of them.

Where the two differ by design, the draw leaves it out or the account is put into the reader's words, with the reason
beside it.
"""
