"""Safe readers of the files that programs leave: spreadsheets, documents, pictures, databases, settings.

Every reader takes bytes, works within limits of time and memory, and either returns plain frozen data or raises
`StateError`. Nothing that a file says about itself is believed, nothing in it is executed, nothing outside of it is
opened. Import a reader from its own module: what was proven with one reader then holds when another changes.
"""

from fairground.verify.reading.addressed import register

register()
