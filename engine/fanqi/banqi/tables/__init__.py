"""Endgame tables: exact values and distances for two to four men, all face up.

They start with no quiet plies and no chase counts. Quiet plies are exact all the same, since a win needs its distance
to the next capture and no more. The chase ban is not in them: with all counters in the state, the sets of won positions
of every ending of two men, and of those of three men that have been tried, are the same with the ban as without, and
there are none with longer chases than it allows that could not be varied in time; for four men this is not proven.
"""
