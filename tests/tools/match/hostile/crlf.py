"""Ends its lines as Windows does. That is no offence."""

from common import Engine


class Windows(Engine):
    end = "\r\n"


Windows().run()
