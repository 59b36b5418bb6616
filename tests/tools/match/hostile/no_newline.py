"""Writes everything without a line feed."""

from common import Engine


class Breathless(Engine):
    end = ""


Breathless().run()
