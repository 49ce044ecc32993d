"""Safe readers for files that programs leave: spreadsheets, documents, pictures, databases, settings.

Every reader takes bytes and works within limits of time and memory. It returns plain frozen data or raises
`StateError`. Readers trust nothing that a file claims about itself, execute nothing in it, and open nothing outside of
it. Import a reader from its own module, so that proofs that used it stay valid when another reader changes.
"""

from fairground.verify.reading.addressed import register

register()
