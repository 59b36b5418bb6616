"""The GGS client: plays Othello on GGS servers for days, unattended."""
