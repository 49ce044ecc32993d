"""Other people's formats and protocols, in and out: here an MCP server over a seat. Only `web` and `cli` import it."""

from fairground.interop.mcp import serve_mcp

__all__ = ["serve_mcp"]
