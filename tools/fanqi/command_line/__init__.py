"""What all commands say and understand alike: errors of one form, names of games and files."""

from fanqi.command_line.errors import UsageError, did_you_mean, die, explain, say, say_error
from fanqi.command_line.names import html_file, known_game, known_games, names_file, svg_file

__all__ = [
    "UsageError",
    "did_you_mean",
    "die",
    "explain",
    "html_file",
    "known_game",
    "known_games",
    "names_file",
    "say",
    "say_error",
    "svg_file",
]
