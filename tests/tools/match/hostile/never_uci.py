"""Never answers `uci`."""

from common import Engine


class Silent(Engine):
    def on_uci(self) -> None:
        pass


Silent().run()
