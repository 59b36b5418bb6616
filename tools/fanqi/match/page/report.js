"use strict";
const DATA = JSON.parse(document.getElementById("data").textContent);
const FAULTS = new Set(["start_failure", "stall", "crash", "time", "illegal_move", "protocol"]);

/* --- making elements -------------------------------------------------------------------------------------- */

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const signed = (value, digits = 1) => {
  const text = Math.abs(value).toFixed(digits);
  return (value < 0 && Number(text) ? "−" : "+") + text; // no minus before a zero
};
const estimate = (value, digits = 1) =>
  value === null ? "not enough games" : signed(value.value, digits) + (value.error95 === null ? "" : " ± " + value.error95.toFixed(digits));
const percent = (value) => (value === null ? "not enough games" : (100 * value).toFixed(1) + " %");
const words = (reason) => DATA.words[reason] || reason.replaceAll("_", " ");

/* --- head, result, engines -------------------------------------------------------------------------------- */

function showHead() {
  document.getElementById("head").append(element("h1", {}, DATA.title), element("p", { class: "facts summary" }, ...summary(),
    element("a", { href: "#result" }, "All figures")));
}

/** The result in a line. */
function summary() {
  const fact = (name, value) => element("span", {}, name + " ", element("b", {}, value));
  if (DATA.pairings.length === 1) {
    const one = DATA.pairings[0], total = one.wins + one.draws + one.losses;
    return [fact(one.players[0], `${points(one.wins + one.draws / 2)} of ${total}`), ...(one.elo ? [fact("Elo", estimate(one.elo, 0))] : []),
      ...(one.los === null ? [] : [fact("LOS", percent(one.los))])];
  }
  return [fact("games", String(DATA.total)), ...DATA.ratings.slice(0, 1).map((row) => fact("first", `${row.name}, ${points(row.points)} of ${row.games}`))];
}

function showFacts() {
  const facts = element("p", { class: "facts" });
  for (const [name, value] of DATA.facts) facts.append(element("span", {}, name + " ", element("b", {}, value)));
  document.getElementById("result").prepend(facts);
}

const MOST_CARDS = 6; // more pairings than these are lines of a table

function showResult() {
  const result = document.getElementById("result");
  if (DATA.swiss) return result.append(swissTable(), swissRounds());
  if (DATA.pairings.length > MOST_CARDS) result.append(ratingCard(), pairingTable());
  else result.append(element("div", { class: "cards" }, ...DATA.pairings.map(pairingCard)), ...(DATA.ratings.length ? [ratingCard()] : []));
}

function pairingTable() {
  const heads = ["First", "Second", "Score", "Won", "Drawn", "Lost", "Elo", "LOS", `Margin (${DATA.unit})`];
  const figure = (index) => (index > 1 ? "number" : null);
  const table = element("table", {}, element("tr", {}, ...heads.map((name, index) => element("th", { class: figure(index) }, name))));
  for (const pairing of DATA.pairings) {
    const total = pairing.wins + pairing.draws + pairing.losses;
    const cells = [...pairing.players, total ? `${pairing.wins + pairing.draws / 2} / ${total}` : "–", pairing.wins, pairing.draws,
      pairing.losses, ...[[pairing.elo, estimate], [pairing.los, percent], [pairing.margin, (value) => estimate(value, 2)]].map(
        ([value, text]) => (value === null ? "–" : text(value)))];
    table.append(element("tr", {}, ...cells.map((cell, index) => element("td", { class: figure(index) }, String(cell)))));
  }
  return element("div", { class: "card wide" }, element("h2", {}, "Pairings"), table);
}

function pairingCard(pairing) {
  const total = pairing.wins + pairing.draws + pairing.losses;
  const bar = element("div", { class: "bar", role: "img", "aria-label": `${pairing.wins} wins, ${pairing.draws} draws, ${pairing.losses} losses` });
  for (const [count, color] of [[pairing.wins, "--first"], [pairing.draws, "--even"], [pairing.losses, "--second"]]) {
    if (count) bar.append(element("span", { style: `flex:${count};background:var(${color})` }, String(count)));
  }
  const figures = element("dl", { class: "figures" });
  const rows = [
    ["Score", total ? `${pairing.wins + pairing.draws / 2} / ${total}` : "–"],
    ["Elo", estimate(pairing.elo)],
    ["Normalised Elo", estimate(pairing.nelo)],
    ["LOS", percent(pairing.los)],
    ["Draw ratio", percent(pairing.draw_ratio)],
    [`Margin (${DATA.unit})`, estimate(pairing.margin, 2)],
  ];
  if (DATA.sprt) {
    const test = DATA.sprt, decision = test.decision === "continue" ? "" : `${test.decision} accepted`;
    rows.push([`LLR [${test.elo0}, ${test.elo1}]`, `${signed(test.llr, 2)} (${test.lower.toFixed(2)}, ${test.upper.toFixed(2)}) ${decision}`]);
  }
  for (const [name, value] of rows) figures.append(element("div", {}, element("dt", { title: name === "LOS" ? "likelihood of superiority" : null }, name), element("dd", {}, value)));
  const card = element("div", { class: "card" },
    element("h2", {}, element("span", { class: "first" }, pairing.players[0]), " – ", element("span", { class: "second" }, pairing.players[1])),
    bar, figures);
  if (pairing.ptnml.some((count) => count)) card.append(pairBars(pairing.ptnml));
  return card;
}

function pairBars(counts) {
  const names = ["0", "½", "1", "1½", "2"];
  const colors = ["--second", "--second", "--even", "--first", "--first"];
  const most = Math.max(...counts);
  const bars = element("div", { class: "pairs", role: "img", "aria-label": `pairs by score: ${counts.join(", ")}` });
  counts.forEach((count, index) => {
    const style = `height:${(60 * count) / most}%;background:var(${colors[index]});opacity:${index === 1 || index === 3 ? 0.65 : 1}`;
    bars.append(element("div", {}, element("b", {}, String(count)), element("i", { style }), element("small", {}, names[index])));
  });
  return bars;
}

function ratingCard() {
  const heads = ["", "Engine", "Rating", "Points", "Games", "Score"];
  const table = element("table", {}, element("tr", {}, ...heads.map((name, index) =>
    element("th", { class: index > 1 ? "number" : null }, name))));
  DATA.ratings.forEach((row, place) => {
    const figures = [estimate(row.rating), row.points, row.games, percent(row.score)];
    table.append(element("tr", {}, element("td", {}, String(place + 1)), element("td", {}, row.name),
      ...figures.map((figure) => element("td", { class: "number" }, String(figure)))));
  });
  const card = element("div", { class: "card wide", style: "margin:1rem 0" }, element("h2", {}, "Ratings"), table);
  if (DATA.ratingsNote) card.append(element("p", { class: "soft" }, DATA.ratingsNote));
  return card;
}

function showEngines() {
  const names = ["Engine", "Calls itself", "Limit", "Moves", "ms/move", "Depth (plies)", "Nodes/s", "Faults"];
  const table = element("table", {}, element("tr", {}, ...names.map((name, index) =>
    element("th", { class: index > 2 && index < 7 ? "number" : null }, name))));
  for (const engine of DATA.engines) {
    const cells = [engine.name, engine.label, engine.limit, engine.moves, engine.ms, engine.depth, engine.nps, engine.faults];
    table.append(element("tr", {}, ...cells.map((cell, index) =>
      element("td", { class: index > 2 && index < 7 ? "number" : null }, cell === null ? "–" : String(cell)))));
  }
  const endings = DATA.endings.map(([name, count]) => `${words(name)} ${count}`).join(", ");
  document.getElementById("engines").append(element("div", { class: "card wide" },
    element("h2", {}, "Engines"), table, element("p", { class: "soft", style: "margin-top:.7rem" }, "Games ended by: " + endings)));
}

/* --- charts ----------------------------------------------------------------------------------------------- */

/** Lines over a common x axis. series: {color, points: [[x, y], …], band: [[x, low, high], …]}; marks: [[y, label], …] */
function chart(title, series, options) {
  const width = 520, height = 210, left = 70, right = 12, top = 18, bottom = 30;
  const all = series.flatMap((one) => [...one.points.map((p) => p[1]), ...(one.band || []).flatMap((b) => [b[1], b[2]])]);
  const marks = options.marks || [];
  let low = Math.min(...all, ...marks.map((m) => m[0])), high = Math.max(...all, ...marks.map((m) => m[0]));
  if (options.floor !== undefined) low = options.floor;
  if (options.limit) { low = Math.max(low, -options.limit); high = Math.min(high, options.limit); }
  if (high - low < 1e-9) { low -= 1; high += 1; }
  const xs = series.flatMap((one) => one.points.map((p) => p[0]));
  const first = Math.min(...xs), last = Math.max(...xs);
  const x = (value) => left + ((value - first) / (last - first || 1)) * (width - left - right);
  const clamp = (value) => Math.min(high, Math.max(low, value));
  const y = (value) => top + ((high - clamp(value)) / (high - low)) * (height - top - bottom);
  const svg = drawing("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title, style: "width:100%;height:auto" });
  for (const tick of ticks(low, high)) {
    svg.append(drawing("line", { class: tick === 0 && low < 0 ? "zero" : "axis", x1: left, x2: width - right, y1: y(tick), y2: y(tick) }));
    const label = drawing("text", { x: left - 6, y: y(tick) + 4, "text-anchor": "end" });
    label.append(String(tick));
    svg.append(label);
  }
  for (const [value, name] of marks) {
    svg.append(drawing("line", { x1: left, x2: width - right, y1: y(value), y2: y(value), stroke: "var(--even)", "stroke-dasharray": "6 4" }));
    const label = drawing("text", { x: width - right - 4, y: y(value) - 4, "text-anchor": "end" });
    label.append(name);
    svg.append(label);
  }
  for (const one of series) {
    if (one.band && one.band.length > 1) {
      const path = [...one.band.map((b) => [b[0], b[2]]), ...[...one.band].reverse().map((b) => [b[0], b[1]])];
      svg.append(drawing("polygon", { points: path.map((p) => `${x(p[0]).toFixed(1)},${y(p[1]).toFixed(1)}`).join(" "), fill: one.color, opacity: 0.14 }));
    }
    svg.append(drawing("polyline", { points: one.points.map((p) => `${x(p[0]).toFixed(1)},${y(p[1]).toFixed(1)}`).join(" "), fill: "none", stroke: one.color, "stroke-width": 1.8, "stroke-linejoin": "round" }));
  }
  const axis = drawing("text", { x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle" });
  axis.append(options.axis);
  svg.append(axis);
  for (const [value, anchor] of [[first, "start"], [last, "end"]]) {
    const end = drawing("text", { x: x(value), y: height - 8, "text-anchor": anchor });
    end.append(String(value));
    svg.append(end);
  }
  return element("div", { class: "card" }, element("h2", {}, title), svg);
}

function ticks(low, high) {
  const rough = (high - low) / 4, size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * size).find((candidate) => candidate >= rough);
  const found = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high + 1e-9; tick += step) found.push(Number(tick.toFixed(6)));
  return found;
}

function showCurves() {
  const cards = element("div", { class: "cards charts" });
  if (DATA.curve.length > 2) {
    const known = DATA.curve.filter((point) => point[1] !== null);
    if (known.length > 1) {
      const names = DATA.pairings.length > 1 ? `: ${DATA.pairings[0].players.join(" – ")}` : "";
      cards.append(chart("Elo difference, by games played" + names, [{
        color: "var(--first)", points: known.map((p) => [p[0], p[1]]),
        band: known.filter((p) => p[2] !== null).map((p) => [p[0], p[1] - p[2], p[1] + p[2]]),
      }], { axis: "games", limit: 800 }));
    }
    if (DATA.sprt) {
      const test = DATA.sprt;
      cards.append(chart("Log-likelihood ratio", [{ color: "var(--first)", points: DATA.curve.map((p) => [p[0], p[3]]) }],
        { axis: "games", marks: [[test.lower, "H0"], [test.upper, "H1"]] }));
    }
  }
  const colors = ["var(--first)", "var(--second)", "var(--even)", "var(--red)"];
  const known = DATA.times.filter((one) => one.points.length > 1), best = DATA.ratings.map((row) => row.name);
  if (known.length > colors.length) known.sort((one, other) => best.indexOf(one.name) - best.indexOf(other.name));
  const times = known.slice(0, colors.length);
  if (times.length) {
    const series = times.map((one, index) => ({ color: colors[index], points: one.points }));
    const card = chart("Time per move (s), by ply" + (known.length > times.length ? ", of the best" : ""), series, { axis: "ply", floor: 0 });
    card.append(element("p", { class: "soft" }, ...times.flatMap((one, index) =>
      [index ? ", " : "", element("span", { style: `color:${colors[index]}` }, one.name)])));
    cards.append(card);
  }
  document.getElementById("curves").append(cards);
}

/* --- the list of games and the viewer --------------------------------------------------------------------- */

const RULES = DATA.game === "othello" ? OTHELLO : BANQI;
/** Scores: discs around 0 in Othello; in banqi the expected score in per cent, from 0 to 100. */
const PERCENT = DATA.game === "banqi", EVEN = PERCENT ? 50 : 0;
let current = -1, states = [], ply = 0, shown = [];

function showList() {
  const search = element("input", { type: "search", placeholder: "Find a name, a move, an ending …", "aria-label": "Find games", oninput: fillList });
  const kind = element("select", { "aria-label": "Which games", onchange: fillList },
    ...[["all", "all"], ["p1", "first won"], ["p2", "second won"], ["draw", "drawn"], ["fault", "faults"]].map(([value, name]) => element("option", { value }, name)));
  const scroll = element("div", { class: "scroll" });
  document.getElementById("list").append(element("div", { class: "card" },
    element("h2", {}, DATA.shown < DATA.total ? `The last ${DATA.shown} of ${DATA.total} games` : `${DATA.total} games`),
    element("div", { class: "filter" }, search, kind), scroll));
  function fillList() {
    const wanted = search.value.toLowerCase();
    shown = [];
    DATA.games.forEach((game, index) => { if (fits(game, kind.value) && game.text.includes(wanted)) shown.push(index); });
    scroll.replaceChildren(...shown.map((index) => entry(DATA.games[index], index)));
    markEntry();
  }
  for (const game of DATA.games) game.text = [...game.players, game.ending, game.moves.join(""), game.opening, "game " + game.number].join(" ").toLowerCase();
  fillList();
}

function fits(game, kind) {
  if (kind === "all") return true;
  if (kind === "fault") return FAULTS.has(game.ending);
  return kind === "draw" ? game.winner === "draw" : game.winner === kind;
}

/** Points of the first and the second player, and the margin of the first. */
function result(game) {
  const score = { p1: "1–0", p2: "0–1", draw: "½–½" }[game.winner] || "void";
  return score + (game.margin ? ` (${signed(game.margin, game.margin % 1 ? 1 : 0)} ${DATA.unit})` : "");
}

function entry(game, index) {
  return element("button", { class: "game", "data-index": index, onclick: () => { openGame(index); goPly(ply); document.getElementById("viewer").scrollIntoView({ block: "nearest" }); } },
    element("span", { class: "number" }, String(game.number)), element("em", {}, game.players.join(" – ")),
    element("span", { class: "score" }, result(game).split(" ")[0]),
    element("small", { class: FAULTS.has(game.ending) ? "fault" : null }, `${result(game).split(" ").slice(1).join(" ")} ${words(game.ending)}, ${game.moves.length} plies`.trim()));
}

function markEntry() {
  for (const button of document.querySelectorAll(".game")) button.setAttribute("aria-current", String(Number(button.dataset.index) === current));
}

/** A page address of a move: #g, number of the game, p, ply. */
const address = (game, at) => `#g${game.number}p${at}`;

function openGame(index, at) {
  const game = DATA.games[index];
  if (!game) return;
  current = index;
  states = [RULES.start(game.start)];
  for (const move of game.moves) states.push(RULES.play(states[states.length - 1], move));
  markEntry();
  const button = document.querySelector(`.game[data-index="${index}"]`);
  if (button) {
    const box = button.parentElement, at = button.offsetTop - box.offsetTop;
    if (at < box.scrollTop || at > box.scrollTop + box.clientHeight - button.offsetHeight) box.scrollTop = at - box.clientHeight / 2;
  }
  const side = (seat) => element("span", { style: `color:${colorOf(game, seat)}` }, ...(DATA.game === "othello" ? [discSign(seat)] : []), game.players[seat]);
  const moves = element("div", { class: "moves" });
  game.moves.forEach((move, at) => {
    if (at % 2 === 0) moves.append(element("span", {}, at / 2 + 1 + "."));
    const note = game.evals[at] === null || game.evals[at] === undefined ? "" : scoreText(game.evals[at]);
    moves.append(element("a", { class: at < game.openingPlies ? "opening" : null, "data-ply": at + 1, href: address(game, at + 1),
      title: at < game.openingPlies ? "given as the opening" : null, onclick: (event) => { event.preventDefault(); goPly(at + 1); } }, move, element("small", {}, note)));
  });
  const boardBox = element("div", { id: "board" }), caption = element("div", { id: "caption" });
  const controls = element("div", { class: "controls" },
    ...[["|‹", "first position (Home)", () => 0], ["‹", "one move back (left arrow)", () => ply - 1], ["›", "one move on (right arrow)", () => ply + 1],
      ["›|", "last position (End)", () => states.length - 1]].map(([sign, title, where]) =>
      element("button", { title, "aria-label": title, onclick: () => goPly(where()) }, sign)), element("span", { id: "ply" }));
  const others = [["Previous game", -1], ["Next game", 1]].map(([title, by]) =>
    element("button", { type: "button", title: `${title} (arrow ${by < 0 ? "up" : "down"})`, "aria-label": title, onclick: () => turnTo(by) }, by < 0 ? "↑" : "↓"));
  const detail = game.detail ? element("p", { class: "soft" }, game.detail) : null;
  document.getElementById("viewer").replaceChildren(element("div", { class: "card" },
    element("div", { class: "controls turn" }, element("h2", {}, `Game ${game.number}: `, side(0), " – ", side(1)), ...others),
    element("p", { class: "soft ending" }, `${result(game)}, ${words(game.ending)}`),
    element("div", { class: `stage ${DATA.game}` }, element("div", { class: "position" }, boardBox, controls), moves, caption),
    evalGraph(game), detail, element("p", { class: "soft" }, [game.opening && "opening " + game.opening, game.date].filter(Boolean).join(" · ")),
    proof(game), notes(game)));
  showPly(at === undefined ? states.length - 1 : at);
}

function turnTo(by) {
  const index = shown[shown.indexOf(current) + by];
  if (index === undefined) return;
  openGame(index);
  goPly(ply);
}

/** Show a ply because somebody asked for it: the address follows, so that it can be passed on. */
function goPly(wanted) {
  showPly(wanted);
  if (current >= 0) history.replaceState(null, "", address(DATA.games[current], ply));
}

/** Show what the address names. */
function follow() {
  const found = /^#g(\d+)p(\d+)$/.exec(location.hash);
  const index = found ? DATA.games.findIndex((game) => game.number === Number(found[1])) : -1;
  if (index < 0) return;
  openGame(index, Number(found[2]));
  document.getElementById("viewer").scrollIntoView({ block: "nearest" });
}

function showPly(wanted) {
  if (current < 0) return;
  ply = Math.max(0, Math.min(states.length - 1, wanted));
  document.getElementById("board").replaceChildren(RULES.board(states[ply]));
  document.getElementById("caption").replaceChildren(...RULES.caption(states[ply]));
  document.getElementById("ply").textContent = `ply ${ply} of ${states.length - 1}`;
  for (const button of document.querySelectorAll(".moves a")) {
    const here = Number(button.dataset.ply) === ply;
    button.setAttribute("aria-current", String(here));
    if (here) button.parentElement.scrollTop = button.offsetTop - button.parentElement.offsetTop - button.parentElement.clientHeight / 2;
  }
  const cursor = document.getElementById("cursor");
  if (cursor) cursor.setAttribute("transform", `translate(${cursorX(ply)} 0)`);
}

const GRAPH = { width: 720, height: 176, left: 92, right: 8 };
const cursorX = (at) => GRAPH.left + (at / Math.max(1, states.length - 1)) * (GRAPH.width - GRAPH.left - GRAPH.right);

/** Both engines' scores from the first player's view, time below. */
function evalGraph(game) {
  const { width, height, left, right } = GRAPH;
  const lines = [[], []];
  game.evals.forEach((value, at) => {
    if (value === null) return;
    const seat = seatOf(game, at);
    lines[seat].push([at + 1, seat ? 2 * EVEN - value : value]);
  });
  const all = lines.flat().map((p) => Math.abs(p[1] - EVEN));
  const svg = drawing("svg", { class: "graph", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "scores and times" });
  const times = game.times.filter((time) => time !== null);
  if (!all.length) return null;
  const most = PERCENT ? 50 : Math.max(4, ...all.map((value) => Math.min(value, 64))), middle = 82;
  const y = (value) => middle - (Math.max(-most, Math.min(most, value - EVEN)) / most) * 50;
  svg.append(drawing("line", { class: "zero", x1: left, x2: width - right, y1: middle, y2: middle }));
  const title = drawing("text", { x: left, y: 20 });
  title.append(PERCENT ? `expected score of ${game.players[0].slice(0, 24)} (%)` : "score for Black (discs)");
  svg.append(title);
  for (const value of [EVEN + most, EVEN, EVEN - most]) {
    const text = drawing("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" });
    text.append(PERCENT || !value ? String(Math.round(value)) : signed(value, 0));
    svg.append(text);
  }
  lines.forEach((line, seat) => svg.append(drawing("polyline", { points: line.map((p) => `${cursorX(p[0]).toFixed(1)},${y(p[1]).toFixed(1)}`).join(" "),
    fill: "none", stroke: colorOf(game, seat), "stroke-width": 1.6, "stroke-linejoin": "round" })));
  const longest = Math.max(1e-3, ...times), step = Math.max(1, (width - left - right) / Math.max(1, states.length - 1) - 1);
  game.times.forEach((time, at) => {
    if (time === null) return;
    const tall = Math.max(0.5, (time / longest) * 26);
    svg.append(drawing("rect", { x: cursorX(at + 1) - step / 2, y: height - 2 - tall, width: step, height: tall, opacity: 0.6, fill: colorOf(game, seatOf(game, at)) }));
  });
  const text = drawing("text", { x: left - 6, y: height - 4, "text-anchor": "end" });
  text.append(longest < 1 ? Math.round(1000 * longest) + " ms" : longest.toFixed(1) + " s");
  svg.append(text, drawing("line", { id: "cursor", x1: 0, x2: 0, y1: 30, y2: height - 2, stroke: "var(--ink)", "stroke-width": 1 }));
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * width;
    goPly(Math.round(((at - left) / (width - left - right)) * (states.length - 1)));
  });
  return svg;
}

const scoreText = (value) => (PERCENT ? value.toFixed(0) + " %" : Math.abs(value) > 64 ? (value > 0 ? "wins" : "loses") : signed(value, 1));

/** Two engines keep their colours whoever moves first; among more, colours tell the seats. */
function colorOf(game, seat) {
  const second = DATA.engines.length === 2 ? game.players[seat] === DATA.engines[1].name : seat === 1;
  return second ? "var(--second)" : "var(--first)";
}

const seatOf = (game, at) => (at + (game.p2Begins ? 1 : 0)) % 2;

function proof(game) {
  if (!game.deal) return null;
  const rows = Object.entries(game.deal).filter(([, value]) => value !== null && value !== false);
  return element("details", { class: "proof" }, element("summary", {}, game.deal.seed ? "The deal, opened" : "The deal is not open yet: other games with it are to be played"),
    ...rows.map(([name, value]) => element("p", {}, name + " ", element("code", {}, String(value)))));
}

const notes = (game) => (game.notes.length ? element("p", { class: "soft", style: "margin-top:.8rem" }, game.notes.join(" · ")) : null);

document.addEventListener("keydown", (event) => {
  if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement || event.ctrlKey || event.metaKey || event.altKey) return;
  const actions = {
    ArrowLeft: () => goPly(ply - 1), ArrowRight: () => goPly(ply + 1), Home: () => goPly(0), End: () => goPly(states.length - 1),
    ArrowUp: () => turnTo(-1), ArrowDown: () => turnTo(1),
  };
  if (actions[event.key]) { event.preventDefault(); actions[event.key](); }
});

showHead();
showResult();
showFacts();
showCurves();
showEngines();
showList();
if (DATA.games.length) openGame(DATA.games.length - 1);
follow();
window.addEventListener("hashchange", follow);
document.getElementById("foot").append("Arrow keys: left and right step through a game, up and down choose one. " + DATA.foot);

/** For tests: the position on the board as text. */
window.fanqiReport = { goto: (index, at) => { openGame(index); showPly(at === undefined ? states.length - 1 : at); return RULES.final(states[ply]); }, games: DATA.games.length };
