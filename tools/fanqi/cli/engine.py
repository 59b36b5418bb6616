"""`fanqi engine` as the help pages see it; running it goes past typer, see `fanqi.cli.main`."""

from __future__ import annotations

import typer

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
)
def engine(context: typer.Context) -> None:
    """Speak the protocol on stdin and stdout."""
    from fanqi.stdio import main

    raise typer.Exit(main(context.args))
