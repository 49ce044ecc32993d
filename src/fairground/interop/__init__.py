"""Integration with other tools and protocols: an MCP server over a seat. Only `web` and `cli` import it."""

from fairground.interop.mcp import serve_mcp

__all__ = ["serve_mcp"]
