/* --- Swiss tournaments: the table with everybody's opponents, and who met whom in each round --------------------- */

/** Points with halves as people write them. */
function points(value) {
  return (value === 0 || value >= 1 ? String(Math.floor(value)) : "") + (value % 1 ? "½" : "");
}

/** The class of a result, from the view of who has the first of the points. */
function outcome(mine, theirs) {
  return mine > theirs ? "won" : mine < theirs ? "lost" : "even";
}

/** A button that opens the first game of a meeting, or the words alone where the page has no such game. */
function meetingButton(meeting, attributes, ...children) {
  const index = DATA.games.findIndex((game) => game.number === meeting.game);
  if (index < 0) return element("span", attributes, ...children);
  const onclick = () => { openGame(index); document.getElementById("replay").scrollIntoView({ behavior: "smooth" }); };
  return element("button", { ...attributes, type: "button", onclick }, ...children);
}

function swissTable() {
  const rounds = DATA.swiss.rounds, place = new Map(DATA.ratings.map((row, index) => [row.name, index + 1]));
  const heads = [["", "number"], ["Engine", ""], ["Points", "number"], ["Buchholz", "number"], ["Rating", "number"],
    ...rounds.map((_, index) => [String(index + 1), "round"])];
  const table = element("table", { class: "swiss" },
    element("thead", {}, element("tr", {}, ...heads.map(([name, kind]) => element("th", { class: kind, scope: "col" }, name)))));
  const body = element("tbody");
  for (const row of DATA.ratings) {
    body.append(element("tr", {}, element("td", { class: "number soft" }, String(place.get(row.name))),
      element("th", { scope: "row", title: row.name }, row.name),
      ...[points(row.points), points(row.buchholz), estimate(row.rating, 0)].map((text) => element("td", { class: "number" }, text)),
      ...rounds.map((round, index) => element("td", { class: "round" }, swissCell(round, index + 1, row.name, place)))));
  }
  table.append(body);
  return element("div", { class: "card" }, element("h2", {}, "Table"), element("div", { class: "wide" }, table),
    element("p", { class: "soft" }, "By round: points, and the place of the opponent. A click shows the first of the games."),
    DATA.ratingsNote ? element("p", { class: "soft" }, DATA.ratingsNote) : null);
}

function swissCell(round, number, name, place) {
  if (round.bye === name) return element("span", { class: "met soft", title: `round ${number}: no opponent` }, "bye");
  const meeting = round.meetings.find((one) => one.players.includes(name));
  const me = meeting.players.indexOf(name), other = meeting.players[1 - me];
  const mine = meeting.points[me], theirs = meeting.points[1 - me], played = mine + theirs > 0;
  const title = `round ${number}: ${name} ${points(mine)} : ${points(theirs)} ${other}`;
  return meetingButton(meeting, { class: `met ${played ? outcome(mine, theirs) : ""}`, title, "aria-label": title },
    played ? points(mine) : "·", element("small", {}, String(place.get(other))));
}

function swissRounds() {
  const box = element("div"), tabs = element("div", { class: "tabs", role: "group", "aria-label": "Round" });
  const show = (number) => {
    for (const tab of tabs.children) tab.setAttribute("aria-pressed", String(Number(tab.textContent) === number));
    box.replaceChildren(swissRound(DATA.swiss.rounds[number - 1]));
  };
  DATA.swiss.rounds.forEach((_, index) =>
    tabs.append(element("button", { type: "button", onclick: () => show(index + 1) }, String(index + 1))));
  show(DATA.swiss.rounds.length);
  return element("div", { class: "card", style: "margin-top:1rem" },
    element("div", { class: "heading" }, element("h2", {}, "Round"), tabs), box);
}

function swissRound(round) {
  const list = element("ol", { class: "meetings" });
  for (const meeting of round.meetings) {
    const [mine, theirs] = meeting.points, result = mine + theirs > 0 ? `${points(mine)} : ${points(theirs)}` : "–";
    const [first, second] = meeting.players.map((name, seat) =>
      element("span", { class: outcome(meeting.points[seat], meeting.points[1 - seat]), title: name }, name));
    list.append(element("li", {}, meetingButton(meeting, { class: "meeting" }, first, element("b", {}, result), second)));
  }
  if (round.bye !== null) list.append(element("li", {}, element("span", { class: "meeting soft" }, round.bye, " has a bye")));
  return list;
}
