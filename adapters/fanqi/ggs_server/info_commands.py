"""Commands that watch, look up, compare: watch, match, look, history, who, top, finger, assess."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from fanqi.ggs_server.ids import number_of
from fanqi.ggs_server.ratings import Rating, margin_score, rate
from fanqi.ggs_wire import (
    Archive,
    CommandError,
    GameType,
    History,
    HistoryEntry,
    Listing,
    MatchEntry,
    MatchList,
    ServiceError,
    Stored,
    StoredEntry,
    WireError,
    format_duration,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fanqi.ggs_server.hall import Session
    from fanqi.ggs_server.match import Match
    from fanqi.ggs_server.service import Service
    from fanqi.ggs_server.store import Account

__all__ = ["BELLS", "COMMANDS", "account", "day_and_time", "not_found"]

HISTORY_LENGTH = 64
TOP_LENGTH = 16
TABLE_HEAD = "      Inactive       AScore    Win   Draw   Loss"


def day_and_time(unix: float) -> str:
    """``30 Nov 2026 02:05:58``."""
    return f"{datetime.fromtimestamp(unix, UTC):%d %b %Y %H:%M:%S}"


def pool_of(player: Session, text: str) -> str | None:
    """A rating pool by any of its names; None and a complaint if there is none."""
    try:
        kind = GameType.parse(text.replace("r", "").replace("R", ""))
    except WireError:
        player.hear(ServiceError(f"rating type '{text}' unknown."))
        return None
    random = "r" if "r" in text.lower() else ""
    return f"{kind.board}{random}{'a' if kind.anti else ''}"


# --- matches


def watch(service: Service, player: Session, text: str) -> None:
    words = text.split()
    watched = {match.number: match for match in service.matches.values()}
    if not words:
        shown = " ".join(f"{match.id}({len(match.watchers)})" for match in watched.values())
        player.hear(Listing("watch", f" {len(watched)} : {shown}", ()))
        return
    sign, named = words[0], words[1:]
    if sign in ("+", "-") and not named:
        player.me.watch_notices = sign == "+"
    elif sign == "%":
        for match in list(player.watching):
            stop_watching(player, match)
    elif sign == "+":
        missing = []
        for word in named:
            found = service.match(word)
            if found is None:
                missing.append(word)
            elif player.name not in found.names and found not in player.watching:
                notify_watch(service, player, found, "+")
                found.watchers.add(player.name)
                player.watching.append(found)
                service.join(player, found)
        not_found(player, "watch +", missing)
    elif sign == "-":
        missing = []
        for word in named:
            found = service.match(word)
            if found is None or found not in player.watching:
                missing.append(word)
            else:
                stop_watching(player, found)
                notify_watch(service, player, found, "-")
        not_found(player, "watch -", missing)
    else:
        asked = list(watched.values()) if words == ["?"] else [service.match(word) for word in words]
        rows = [
            f"{match.id!s:<8} {len(match.watchers):2d} : {' '.join(sorted(match.watchers))}" for match in asked if match
        ]
        player.hear(Listing("watch", f" {len(rows)}", tuple(rows)))


def stop_watching(player: Session, match: Match) -> None:
    match.watchers.discard(player.name)
    player.watching.remove(match)


def notify_watch(service: Service, player: Session, match: Match, sign: str) -> None:
    """Tell those who asked for it who starts or stops watching."""
    for session in service.audience(match):
        if session is not player and session.me.watch_notices:
            session.unasked([f"/os: {sign} {player.name} watch {match.id}"])


def match_list(service: Service, player: Session, text: str) -> None:
    matches = list(service.matches.values())
    words = text.split()
    shown = [
        match for match in matches if not words or str(match.id) in words or any(name in words for name in match.names)
    ]
    entries = []
    for match in shown:
        first, second = service.ratings(match)
        ratings = round(first), round(second)
        entries.append(MatchEntry(match.id, ratings, match.names, match.type, match.flag, len(match.watchers)))
    here = {session.name for session in service.hall} | {str(match.id) for match in matches}
    player.hear(MatchList(len(shown), len(matches), tuple(entries), tuple(sorted(set(words) - here))))


def look(service: Service, player: Session, text: str) -> None:
    number = number_of(text)
    record = None if number is None else service.store.match(number)
    if record is None or record.state == "running":
        player.hear(ServiceError(f"no archived match '{text}' found."))
    else:
        player.hear(Archive((record.ggf,)))


def stored(service: Service, player: Session, text: str) -> None:
    if text in ("+", "-"):
        player.me.stored_notices = text == "+"
        return

    def show(name: str) -> None:
        matches = service.store.matches_of(name, "stored")
        entries = [StoredEntry(f".{match.id}", day_and_time(match.date), match.names, match.info) for match in matches]
        player.hear(Stored(name, tuple(entries)))

    for_each(service, player, text, "stored", show)


def history(service: Service, player: Session, text: str) -> None:
    def show(name: str) -> None:
        entries = []
        for match in service.store.matches_of(name, "archived", HISTORY_LENGTH):
            ratings = round(match.ratings[0]), round(match.ratings[1])
            date = day_and_time(match.date)
            entries.append(HistoryEntry(f".{match.id}", date, ratings, match.names, match.result, match.info))
        player.hear(History(name, tuple(entries)))

    for_each(service, player, text, "history", show)


def for_each(service: Service, player: Session, text: str, command: str, show: Callable[[str], None]) -> None:
    """Show something of every player named, or of the one who asks."""
    missing = []
    for name in sorted(set(text.split())) or [player.name]:
        if account(service, name) is None:
            missing.append(name)
        else:
            show(name)
    not_found(player, command, missing)


def account(service: Service, name: str) -> Account | None:
    """The account of somebody who is here, or registered."""
    session = service.hall[name]
    if session is not None:
        return session.me
    found = service.store.account(name)
    return None if found is None else found[0]


def not_found(player: Session, command: str, missing: list[str]) -> None:
    """Complain about what a command named in vain, if there is anything."""
    if missing:
        player.hear(CommandError(command, f"not found: {' '.join(missing)}"))


# --- players


def who(service: Service, player: Session, text: str) -> None:
    words = text.split()
    if not 1 <= len(words) <= 4 or (len(words) in (2, 4) and words[1] != "a"):
        player.hear(ServiceError("who <type> [a] [-pts +pts]."))
        return
    pool = pool_of(player, words[0])
    if pool is None:
        return
    mine = service.rating(player.name, pool)
    rows: list[tuple[float, str]] = []
    everybody: list[tuple[str, bool, Rating, str]] = [("/os", False, Rating(), "")]
    for session in service.hall:
        matches = " ".join(str(match.id) for match in session.matches)
        available = session.me.open > len(session.matches)
        everybody.append((session.name, available, service.rating(session.name, pool), matches))
    for name, available, theirs, matches in everybody:
        if not available and len(words) in (1, 3):
            continue
        row = f"{name:<8} {'+' if available else '-'} {theirs.rating:6.1f}@{theirs.deviation:5.1f}"
        if name != player.name:
            outcomes = [rate(score, mine, theirs)[0] for score in (1.0, 0.5, 0.0)]
            changes = [outcome.rating - mine.rating for outcome in outcomes]
            if len(words) > 2 and not (typed_number(words[-2]) <= changes[2] and changes[0] <= typed_number(words[-1])):
                continue
            row += " ->" + "".join(f" {change:+z7.1f}" for change in changes) + f" @{outcomes[0].deviation:5.1f}"
        elif matches:
            row += " " * 35
        rows.append((theirs.rating - theirs.deviation * 1720 / 350, f"{row} {matches}"))
    head = f" {len(service.hall) + 1:5d}      change:    win    draw    loss         match(es)"
    player.hear(Listing("who", head, tuple(row for _, row in sorted(rows, key=lambda pair: pair[0]))))


def typed_number(text: str) -> float:
    """A number as typed; 0 for anything else."""
    try:
        return float(text)
    except ValueError:
        return 0.0


def rating_columns(rating: Rating, now: float) -> str:
    """``2072.7@278.0=     00:00:05+@278.0 +64.0      2      0      0``."""
    idle = format_duration(int(max(now - rating.last, 0)), 8) if rating.last else "-"
    average = rating.margin / rating.games if rating.games else 0.0
    return (
        f"{rating.rating:6.1f}@{rating.deviation_at(now):5.1f}={idle:>13}+@{rating.deviation:5.1f} {average:+z5.1f} "
        f"{rating.wins:6d} {rating.draws:6d} {rating.losses:6d}"
    )


def ranked(service: Service, pool: str) -> tuple[list[tuple[str, Rating]], str]:
    """All players of a pool, best first, and the head of the table: mean and spread of their ratings."""
    now = service.unix()
    ratings = service.store.ratings_in(pool)
    order = sorted(ratings.items(), key=lambda item: (3.5 * item[1].deviation_at(now) - item[1].rating, item[0]))
    values = [rating.rating for rating in ratings.values()]
    mean = sum(values) / len(values) if values else 0.0
    spread = (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5 if values else 0.0
    return order, f"{mean:6.1f}@{spread:5.1f}{TABLE_HEAD} {len(order)}"


def rank_rows(service: Service, rows: Iterable[tuple[int, tuple[str, Rating]]], marked: str) -> tuple[str, ...]:
    now = service.unix()
    return tuple(
        f"{place:5d} {name:<8} {rating_columns(rating, now)}{' <=' if name == marked else ''}"
        for place, (name, rating) in rows
    )


def top(service: Service, player: Session, text: str) -> None:
    words = text.split()
    numbers = words[1:]
    if not 1 <= len(words) <= 3 or not all(word.isascii() and word.isdigit() and len(word) < 7 for word in numbers):
        player.hear(ServiceError("top <type> [num]"))
        return
    pool = pool_of(player, words[0])
    if pool is None:
        return
    order, head = ranked(service, pool)
    count = int(numbers[-1]) if numbers else TOP_LENGTH
    first = max(int(numbers[0]) - 1, 0) if len(numbers) == 2 else 0
    rows = list(enumerate(order, 1))[first : first + count]
    player.hear(Listing("top", f"       {head}", rank_rows(service, rows, player.name)))


def rank(service: Service, player: Session, text: str) -> None:
    words = text.split()
    if not 1 <= len(words) <= 2:
        player.hear(ServiceError("rank <type> [login]"))
        return
    pool = pool_of(player, words[0])
    if pool is None:
        return
    name = words[1] if len(words) == 2 else player.name
    if account(service, name) is None:
        player.hear(ServiceError(f"user '{name}' not found."))
        return
    order, head = ranked(service, pool)
    at = next((place for place, (found, _) in enumerate(order) if found == name), None)
    rows = [] if at is None else list(enumerate(order, 1))[max(at - 8, 0) : at + 8]
    player.hear(Listing("rank", f" {head}", rank_rows(service, rows, name)))


def finger(service: Service, player: Session, text: str) -> None:
    def show(name: str) -> None:
        found = account(service, name)
        if found is not None:
            player.hear(Listing("finger", f" {name}", finger_rows(service, found)))

    for_each(service, player, text, "finger", show)


def sign(value: bool) -> str:
    return "+" if value else "-"


BELLS = ("r", "p", "w", "n", "ns", "nn", "nt", "ni", "nr", "nw", "ta", "to", "tp")


def finger_rows(service: Service, found: Account) -> tuple[str, ...]:
    """Everything about a player."""
    session = service.hall[found.name]
    playing = [] if session is None else [str(match.id) for match in session.matches]
    watching = [] if session is None else [str(match.id) for match in session.watching]
    sent = [request.id for request in service.requests if request.asker == found.name]
    received = [request.id for request in service.requests if request.opponent == found.name]
    bells = " ".join(f"{sign(bell in found.os_bell)}{bell}" for bell in BELLS)
    size = service.store.size(found.name)
    now = service.unix()
    ratings = service.store.ratings_of(found.name)
    return (
        f"login  : {found.name}",
        f"dblen  : {100.0 if size else 0.0:5.1f} = {size} / {size}",
        f"level  : {found.level}",
        f"open   : {found.open}",
        f"client : {sign(found.client)}",
        f"trust  : {sign(found.trust)}",
        f"rated  : {sign(found.rated)}",
        f"bell   : {bells}",
        f"vt100  : {sign(found.os_vt100)}",
        f"hear   : {sign(found.os_hear)}",
        f"play   : {' '.join(playing)}",
        f"stored ({sign(found.stored_notices)}) : {len(service.store.matches_of(found.name, 'stored'))}",
        f"notify (-) : {' '.join(sorted(found.os_notify))}",
        f"track  (-) : {' '.join(sorted(found.track))}",
        f"ignore (-) : {' '.join(sorted(found.os_ignore))}",
        f"request({sign(found.request_notices)}) : {' '.join(sent)} : {' '.join(received)}",
        f"watch  ({sign(found.watch_notices)}) : {' '.join(watching)}",
        f"accept : {found.accept}",
        f"decline: {found.decline}",
        f"Type  Rating@StDev{TABLE_HEAD}",
        *(f"{pool:<5} {rating_columns(rating, now)}" for pool, rating in ratings.items()),
    )


def assess(service: Service, player: Session, text: str) -> None:
    """What a result would do to two ratings."""
    words = text.split()
    if len(words) == 1 and not words[0].startswith(".") and len(player.matches) == 1:
        words.insert(0, str(player.matches[0].id))
    if not 2 <= len(words) <= 4:
        player.hear(ServiceError("assess <.id> | (<type> <login> [login]) <score>."))
        return
    result = typed_number(words[-1])
    if len(words) == 2:
        match = service.match(words[0])
        if match is None:
            player.hear(ServiceError(f"match '{words[0]}' not found."))
            return
        show_assessment(service, player, match.type.pool, match.names, result)
        return
    names = (words[1], words[2]) if len(words) == 4 else (player.name, words[1])
    for name in names:
        if account(service, name) is None:
            player.hear(ServiceError(f"user '{name}' not found."))
            return
    if words[0] == "*":
        pools = sorted({pool for name in names for pool in service.store.ratings_of(name)})
    else:
        pool = pool_of(player, words[0])
        pools = [] if pool is None else [pool]
    for pool in pools:
        show_assessment(service, player, pool, names, result)


def show_assessment(service: Service, player: Session, pool: str, names: tuple[str, str], result: float) -> None:
    score = margin_score(result)
    before = [service.rating(name, pool) for name in names]
    after = rate(score, before[0], before[1])
    rows = [
        f"{name:<8} {old.rating:7.2f}@{old.deviation:6.2f} {new.rating - old.rating:+z8.2f} -> "
        f"{new.rating:7.2f}@{new.deviation:6.2f}"
        for name, old, new in zip(names, before, after, strict=True)
    ]
    player.hear(Listing("assess", f" {pool} {result:+z6.2f} -> {score:6.4f}", tuple(rows)))


def uptime(service: Service, player: Session, text: str) -> None:
    running = f"{len(service.matches)} matches running, {service.played} since the start"
    rows = (f"{len(service.hall)} players here, {running}", f"up since {service.started:%d %b %Y %H:%M:%S} UTC")
    player.hear(Listing("uptime", "", rows))


COMMANDS = {
    "watch": watch,
    "match": match_list,
    "look": look,
    "stored": stored,
    "history": history,
    "who": who,
    "top": top,
    "rank": rank,
    "finger": finger,
    "assess": assess,
    "uptime": uptime,
}
