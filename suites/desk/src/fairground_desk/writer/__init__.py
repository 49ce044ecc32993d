"""LibreOffice Writer: reports, leases, minutes, drafts and letters of four organisations."""

from fairground_desk.writer.app import Writer
from fairground_desk.writer.scenarios import SCENARIOS

__all__ = ["SCENARIOS", "Writer"]
