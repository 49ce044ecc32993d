"""My desk: one app so far."""

from pathlib import Path

from fairground.worlds import Suite
from my_desk.xournalpp import InsertPage, JotNote, Xournalpp

suite = Suite(
    name="my-desk",
    title="My desk",
    version="0.1.0",
    apps=(Xournalpp(),),
    scenarios=(JotNote(), InsertPage()),
    proofs=Path(__file__).parent / "proofs",
)
