"""Never answers `isready`."""

from common import Engine


class NotReady(Engine):
    def on_isready(self) -> None:
        pass


NotReady().run()
