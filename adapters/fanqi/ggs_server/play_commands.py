"""Commands of players: ask, accept, play, undo, abort, resign, and what goes with them.

A command is a function of the service, the player and the rest of the line; it answers by `Session.hear`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanqi.ggs_server.formula import FormulaError, parse_formula
from fanqi.ggs_server.info_commands import not_found
from fanqi.ggs_server.requests import Pending, RefusedError
from fanqi.ggs_wire import CommandError, GameId, Kibitz, Move, Offer, PlayError, RequestList, ServiceError, WireError

if TYPE_CHECKING:
    from fanqi.ggs_server.hall import Session
    from fanqi.ggs_server.match import Match
    from fanqi.ggs_server.service import Service

__all__ = ["COMMANDS"]


def ask(service: Service, player: Session, text: str) -> None:
    if not text:
        player.hear(ServiceError("ask <.stored> | <type> <myclock> [ oppclock [ opponent ] ]."))
    elif player.me.open <= len(player.matches):
        player.hear(ServiceError("Your open value is too low for new matches."))
    else:
        try:
            service.requests.ask(player, text)
        except RefusedError as refused:
            player.hear(refused.message)


def go_on(service: Service, player: Session, text: str) -> None:
    """``continue``: ask for every stored match, in silence where it cannot be."""
    for match in service.store.matches_of(player.name, "stored"):
        if player.me.open <= len(player.matches):
            return
        if text and text not in match.names:
            continue
        try:
            service.requests.ask(player, f".{match.id}")
        except RefusedError:
            continue


def accept(service: Service, player: Session, text: str) -> None:
    if not text:
        player.hear(ServiceError("accept <id>."))
        return
    request = service.requests.find(text)
    if request is None:
        player.hear(ServiceError(f"request '{text}' not found."))
        return
    try:
        service.requests.accept(player, request)
    except RefusedError as refused:
        player.hear(refused.message)


def decline(service: Service, player: Session, text: str) -> None:
    missing = []
    for word in sorted(set(text.split())):
        if word.startswith("."):
            request = service.requests.find(word)
            if request is None or request.opponent != player.name:
                missing.append(word)
            else:
                service.requests.drop(request)
        elif service.hall[word] is None:
            missing.append(word)
        else:
            for pending in list(service.requests):
                if (pending.asker, pending.opponent) == (word, player.name):
                    service.requests.drop(pending)
    not_found(player, "decline", missing)


def cancel(service: Service, player: Session, text: str) -> None:
    """By id. A name is taken without a word and without effect, as it is by the genuine server."""
    missing = []
    for word in sorted(set(text.split())):
        if word.startswith("."):
            request = service.requests.find(word)
            if request is None or request.asker != player.name:
                missing.append(word)
            else:
                service.requests.drop(request)
        elif service.hall[word] is None:
            missing.append(word)
    not_found(player, "cancel", missing)


def request(service: Service, player: Session, text: str) -> None:
    """News of requests to anybody on and off, or a list of what is pending."""
    if text in ("+", "-"):
        player.me.request_notices = text == "+"
        return
    everything = list(service.requests)

    def mine(pending: Pending) -> bool:
        return pending.asker == player.name

    def to_me(pending: Pending) -> bool:
        return pending.opponent == player.name

    def to_all(pending: Pending) -> bool:
        return pending.opponent is None and not mine(pending)

    words = set(text.split())
    known = {pending.id for pending in everything} | {session.name for session in service.hall}
    open_ones = [pending for pending in everything if to_all(pending) and player in service.requests.listeners(pending)]
    groups, counts = [], []
    total_global = sum(pending.opponent is None for pending in everything)
    for name, title, found, total in (
        ("glob", "glob", open_ones, total_global),
        ("recv", "recv", [pending for pending in everything if to_me(pending)], None),
        ("send", "sent", [pending for pending in everything if mine(pending)], None),
    ):
        shown = [pending for pending in found if not words or words & {pending.id, pending.asker, pending.opponent}]
        counts.append(f"{name}({len(shown)}/{len(found) if total is None else total})")
        if shown:
            named = sorted(shown, key=lambda pending: pending.opponent is None)
            groups.append((title, tuple(service.requests.wire(pending) for pending in named)))
    player.hear(RequestList(" ".join(counts), tuple(groups), tuple(sorted(words - known))))


def aform(service: Service, player: Session, text: str) -> None:
    try:
        player.me.accept = parse_formula(text).text
    except FormulaError as error:
        player.hear(CommandError("aform", str(error)))


def dform(service: Service, player: Session, text: str) -> None:
    try:
        player.me.decline = parse_formula(text).text
    except FormulaError as error:
        player.hear(CommandError("dform", str(error)))


def own_match(player: Session, text: str) -> Match | None:
    """The player's match of an id such as ``.7`` or ``.7.0``; None and a complaint if there is none."""
    try:
        number = GameId.parse(text).match
    except WireError:
        number = -1
    for match in player.matches:
        if match.number == number:
            return match
    player.hear(ServiceError(f"match '{match_part(text)}' not found."))
    return None


def match_part(text: str) -> str:
    """An id without the number of the game."""
    return text[: text.find(".", 1)] if "." in text[1:] else text


def only_argument(player: Session, text: str, command: str) -> Match | None:
    """The match that a command is about: named, or the only one."""
    words = text.split()
    if not words and len(player.matches) == 1:
        return player.matches[0]
    if len(words) != 1:
        player.hear(ServiceError(f"{command} <match>."))
        return None
    return own_match(player, words[0])


def play(service: Service, player: Session, text: str) -> None:
    if not text:
        player.hear(ServiceError("play <match> <move> [eval] [time]."))
        return
    if not text.startswith(".") and len(player.matches) == 1:
        match, where, typed = player.matches[0], str(player.matches[0].id), text
    else:
        where, _, typed = text.partition(" ")
        found = own_match(player, where)
        if found is None:
            return
        match = found
    index = GameId.parse(where).game
    if match.type.synchro != (index is not None):
        player.hear(PlayError(where, "game id needed (only) in synchro games"))
        return
    if index is not None and index > 1:
        player.hear(PlayError(where, "game id must be .0 or .1 in synchro games"))
        return
    try:
        move = Move.parse(typed)
    except WireError as error:
        player.hear(PlayError(where, error.reason))
        return
    wrong = service.play(match, index or 0, player, move)
    if wrong is not None:
        player.hear(wrong)


def undo(service: Service, player: Session, text: str) -> None:
    match = only_argument(player, text, "undo")
    if match is None:
        return
    game = match.games[0]
    if match.type.synchro:
        player.hear(PlayError(str(match.id), "no undo in synchro games"))
    elif not game.moves:
        player.hear(PlayError(str(match.id), "nothing to undo"))
    elif game.komi is not None and len(game.moves) < 2:
        player.hear(PlayError(str(match.id), "no undo of komi moves"))
    else:
        for seat in match.seats(player.name):
            game.seats[seat].undo = True
        if not all(seat.undo for seat in game.seats):
            service.tell_all(match, Offer("undo", match.id, player.name))
            return
        service.take_back(match)


def abort(service: Service, player: Session, text: str) -> None:
    match = only_argument(player, text, "abort")
    if match is None:
        return
    match.aborting.add(player.name)
    if match.aborting >= set(match.names):
        service.abort(match)
        return
    for index in range(len(match.games)):
        service.tell_all(match, Offer("abort", match.game_id(index), player.name))


def leave(service: Service, player: Session, text: str) -> None:
    match = only_argument(player, text, "break")
    if match is not None:
        service.adjourn(match, player.name)


def resign(service: Service, player: Session, text: str) -> None:
    match = only_argument(player, text, "resign")
    if match is not None:
        service.resign(match, player.name)


def score(service: Service, player: Session, text: str) -> None:
    words = text.split()
    if len(words) == 1 and not words[0].startswith(".") and len(player.matches) == 1:
        words.insert(0, str(player.matches[0].id))
    if len(words) != 2:
        player.hear(ServiceError("score <id> <your score>."))
        return
    match = own_match(player, words[0])
    if match is None:
        return
    if match.type.synchro:
        player.hear(PlayError(words[0], "no score in synchro games"))
        return
    game = match.games[0]
    try:
        offer = Move.parse(f"x/{words[1]}").evaluation
    except WireError:
        player.hear(PlayError(words[0], "score <value>"))
        return
    for seat in match.seats(player.name):
        game.seats[seat].offer = 0.0 if match.selfplay else offer
    if game.finished:
        service.close(match)
    else:
        service.tell_all(match, Offer("score", match.id, player.name))


def moves(service: Service, player: Session, text: str) -> None:
    """Show a match again, anybody's."""
    words = text.split()
    if not words and len(player.matches) == 1:
        words = [str(player.matches[0].id)]
    if len(words) != 1:
        player.hear(ServiceError("moves <match>."))
        return
    match = service.match(words[0])
    if match is None:
        player.hear(ServiceError(f"match '{words[0]}' not found."))
    else:
        service.join(player, match)


def tell(service: Service, player: Session, text: str) -> None:
    """Talk at a match. Without an id the first word of the text is lost, as it is on the genuine server."""
    audience, rest = "A", text
    first, _, behind = text.partition(" ")
    if first in ("a", "o", "p"):
        audience, rest = first.upper(), behind
    where, _, said = rest.strip().partition(" ")
    if not where:
        player.hear(ServiceError("tell [o] <.id> [mssg]."))
        return
    if not where.startswith(".") and len(player.matches) == 1:
        match, where = player.matches[0], str(player.matches[0].id)
    else:
        found = service.match(match_part(where))
        if found is None:
            player.hear(ServiceError(f"match '{where}' not found."))
            return
        match = found
    rating = round(service.store.rating(player.name, match.type.pool).rating)
    kibitz = Kibitz(where, audience, rating, player.name, said)
    names = ([] if audience == "O" else list(match.names)) + ([] if audience == "P" else sorted(match.watchers))
    for session in service.hall.present(names):
        if session is not player and session.me.os_hear and player.name not in session.me.os_ignore:
            session.hear(kibitz)


COMMANDS = {
    "ask": ask,
    "continue": go_on,
    "accept": accept,
    "decline": decline,
    "cancel": cancel,
    "request": request,
    "aform": aform,
    "dform": dform,
    "play": play,
    "undo": undo,
    "abort": abort,
    "break": leave,
    "resign": resign,
    "score": score,
    "moves": moves,
    "tell": tell,
}
