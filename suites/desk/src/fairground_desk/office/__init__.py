"""What Calc, Writer and Impress share: LibreOffice's profile, its start, and questions over UNO."""

from fairground_desk.office.office_app import REGISTRY, OfficeApp
from fairground_desk.office.uno import dispatch, open_documents

__all__ = ["REGISTRY", "OfficeApp", "dispatch", "open_documents"]
