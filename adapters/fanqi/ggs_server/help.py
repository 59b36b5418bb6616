"""What the server says about itself."""

from __future__ import annotations

__all__ = ["BANNER", "CENTRAL_HELP", "SERVICE_HELP"]

BANNER = """

Fanqi game server: Othello on the GGS protocol
----------------------------------------------
""".splitlines()

CENTRAL_HELP = {
    "help": """\
help TOPIC    faq, news, cmds; for the Othello service: tell /os help
""".splitlines(),
    "faq": """\
How do I play?     tell /os open 1, then: tell /os ask 8 5:00 NAME
How do I pass?     tell /os play pa
What is a rated game? One between registered players who have both set: tell /os rated +
How do I go on with a game that was cut off? Both say: tell /os continue
No more of these texts at login: verbose -news -faq -help -ack
""".splitlines(),
    "news": """\
Nothing new.
""".splitlines(),
    "cmds": """\
tell NAME[,NAME] TEXT   talk to players, .channels, or services such as /os
who  finger [NAME]      who is here; about somebody
chann [+|-] .NAME       listen to a channel, leave it; chann % leaves all
notify [+|-] NAME       be told when somebody comes or goes
ignore [+|-] NAME       not hear somebody
info TEXT               what finger tells about you
passw NEW OLD [NAME]    another password
verbose bell vt100 hear what is sent to your terminal, and how
echo TEXT  uptime  quit
name USER NAME, email USER ADDRESS, passw NEW - USER   for administrators: the first two together register a guest
""".splitlines(),
}

SERVICE_HELP = {
    "help": """\
help TOPIC    cmds, types, clock, formula
""".splitlines(),
    "cmds": """\
open N                      how many games at once you want; 0 for none
ask TYPE [CLOCK [CLOCK]] [NAME]   ask .STORED  accept .ID   decline .ID   cancel .ID   request [+|-]
play [.ID] MOVE[/EVAL[/SECONDS]]  undo  abort  break  resign  score N  moves [.ID]  tell [a|o|p] .ID TEXT
continue [NAME]  stored [+|-]  history [NAME]  look .ID
watch [+|-] .ID  track [+|-] NAME  notify [+|-] NAME  match  who TYPE [a]  top TYPE  rank TYPE [NAME]
finger [NAME]  assess TYPE NAME SCORE  trust  rated  client  bell  vt100  hear  aform  dform  ignore  uptime
""".splitlines(),
    "types": """\
[s]BOARD[k][rDISCS][b|w][a]
BOARD   4 6 8 10 12 14, or 88: 10x10 without corners
s       synchro: two games at once with colours swapped
k       komi: both bid in discs for the side to move
rDISCS  random start, in synchro and komi games
b w     your colour     a   anti: fewest discs win
""".splitlines(),
    "clock": """\
INITIAL[,[N]MOVES]/INCREMENT[,[N]MOVES]/EXTENSION[,[N]MOVES], times as [[HH:]MM:]SS, a bare number is minutes
When INITIAL is used up, EXTENSION is granted once, and you can at best lose by the least.
When EXTENSION is used up too, you lose everything.
""".splitlines(),
    "formula": """\
aform FORMULA accepts, dform FORMULA declines requests that fit it; without a formula nothing does.
saved rated rand synchro komi anti   truth values
discs size stored mr or              numbers; mr and or are my and the other's rating
mt1 mt2 mt3 ot1 ot2 ot3              initial time, increment, extension in seconds; mm1 .. om3 their moves
mc oc == B W ?                       colours
| & == != < <= > >= + - * / ! ( ) T F
""".splitlines(),
}
