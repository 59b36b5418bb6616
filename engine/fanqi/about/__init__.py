"""Who we are, for handshakes and records. Kept apart so that naming it costs no import."""

__all__ = ["AUTHOR", "NAME", "VERSION"]

NAME = "Fanqi"
AUTHOR = "The Fanqi authors"
VERSION = "0.1.0"
