"use strict";
const DATA = JSON.parse(document.getElementById("data").textContent);
const RED = { K: "帥", G: "仕", M: "相", R: "俥", N: "傌", C: "炮", P: "兵" };
const BLACK = { k: "將", g: "士", m: "象", r: "車", n: "馬", c: "包", p: "卒" };
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

function drawing(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const signed = (value, digits = 1) => (value >= 0 ? "+" : "−") + Math.abs(value).toFixed(digits);
const estimate = (value, digits = 1) =>
  value === null ? "not enough games" : signed(value.value, digits) + (value.error95 === null ? "" : " ± " + value.error95.toFixed(digits));
const percent = (value) => (value === null ? "not enough games" : (100 * value).toFixed(1) + " %");
const words = (text) => text.replaceAll("_", " ");

/* --- head, result, engines -------------------------------------------------------------------------------- */

function showHead() {
  const facts = element("p", { class: "facts" });
  for (const [name, value] of DATA.facts) facts.append(element("span", {}, name + " ", element("b", {}, value)));
  document.getElementById("head").append(element("h1", {}, DATA.title), facts);
}

const MOST_CARDS = 6; // more pairings than these are lines of a table

function showResult() {
  const result = document.getElementById("result");
  if (DATA.swiss) return result.append(swissTable(), swissRounds());
  if (DATA.pairings.length > MOST_CARDS) result.append(ratingCard(), pairingTable());
  else result.append(element("div", { class: "cards" }, ...DATA.pairings.map(pairingCard)), ...(DATA.ratings.length ? [ratingCard()] : []));
}

function pairingTable() {
  const heads = ["First", "Second", "Score", "Won", "Drawn", "Lost", "Elo", "Superior", `Margin (${DATA.unit})`];
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
    ["nElo", estimate(pairing.nelo)],
    ["Superior", percent(pairing.los)],
    ["Draws", percent(pairing.draw_ratio)],
    [`Margin (${DATA.unit})`, estimate(pairing.margin, 2)],
  ];
  if (DATA.sprt) {
    const test = DATA.sprt, decision = test.decision === "continue" ? "" : `${test.decision} accepted`;
    rows.push([`LLR [${test.elo0}, ${test.elo1}]`, `${signed(test.llr, 2)} (${test.lower.toFixed(2)}, ${test.upper.toFixed(2)}) ${decision}`]);
  }
  for (const [name, value] of rows) figures.append(element("div", {}, element("dt", {}, name), element("dd", {}, value)));
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
  const card = element("div", { class: "card", style: "margin:1rem 0" }, element("h2", {}, "Ratings"), table);
  if (DATA.ratingsNote) card.append(element("p", { class: "soft" }, DATA.ratingsNote));
  return card;
}

function showEngines() {
  const names = ["Engine", "Calls itself", "Limit", "Moves", "ms a move", "Depth", "Nodes a second", "Faults"];
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
  const width = 520, height = 210, left = 46, right = 12, top = 10, bottom = 26;
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
  const axis = drawing("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" });
  axis.append(options.axis);
  svg.append(axis);
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
      cards.append(chart("Elo over the games" + names, [{
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
    const card = chart("Seconds a move, by ply" + (known.length > times.length ? ", of the best" : ""), series, { axis: "ply", floor: 0 });
    card.append(element("p", { class: "soft" }, ...times.flatMap((one, index) =>
      [index ? ", " : "", element("span", { style: `color:${colors[index]}` }, one.name)])));
    cards.append(card);
  }
  document.getElementById("curves").append(cards);
}

/* --- playing games ---------------------------------------------------------------------------------------- */

const OTHELLO = {
  start(text) {
    const [cells, turn] = text ? text.split(" ") : ["-".repeat(27) + "OX" + "-".repeat(6) + "XO" + "-".repeat(27), "X"];
    return { cells: [...cells.toUpperCase()], turn: turn.toUpperCase() === "O" || turn === "w" ? "O" : "X", last: null };
  },
  play(state, move) {
    const cells = [...state.cells], turn = state.turn, other = turn === "X" ? "O" : "X";
    if (move === "pass") return { cells, turn: other, last: null };
    const at = move.charCodeAt(0) - 97 + 8 * (Number(move[1]) - 1);
    for (const dx of [-1, 0, 1]) for (const dy of [-1, 0, 1]) {
      const line = [];
      let x = (at % 8) + dx, y = Math.floor(at / 8) + dy;
      while ((dx || dy) && x >= 0 && x < 8 && y >= 0 && y < 8 && cells[8 * y + x] === other) { line.push(8 * y + x); x += dx; y += dy; }
      if (line.length && x >= 0 && x < 8 && y >= 0 && y < 8 && cells[8 * y + x] === turn) for (const index of line) cells[index] = turn;
    }
    cells[at] = turn;
    return { cells, turn: other, last: at };
  },
  board(state) {
    const size = 44, edge = 18, side = 8 * size + 2 * edge;
    const svg = drawing("svg", { class: "board", viewBox: `0 0 ${side} ${side}`, role: "img", "aria-label": "board" });
    svg.append(drawing("rect", { width: side, height: side, fill: "var(--card)" }));
    svg.append(drawing("rect", { x: edge, y: edge, width: 8 * size, height: 8 * size, fill: "var(--board)" }));
    for (let n = 0; n <= 8; n++) {
      svg.append(drawing("line", { x1: edge + n * size, x2: edge + n * size, y1: edge, y2: edge + 8 * size, stroke: "var(--board-line)" }));
      svg.append(drawing("line", { y1: edge + n * size, y2: edge + n * size, x1: edge, x2: edge + 8 * size, stroke: "var(--board-line)" }));
    }
    for (let n = 0; n < 8; n++) label(svg, edge + (n + 0.5) * size, edge - 5, "abcdefgh"[n]), label(svg, edge - 9, edge + (n + 0.5) * size + 4, String(n + 1));
    state.cells.forEach((cell, at) => {
      const x = edge + ((at % 8) + 0.5) * size, y = edge + (Math.floor(at / 8) + 0.5) * size;
      if (cell === "X" || cell === "O") {
        svg.append(drawing("circle", { cx: x, cy: y, r: size * 0.42, fill: cell === "X" ? "#191c19" : "#f6f6f1", stroke: "#0004" }));
        if (at === state.last) svg.append(drawing("circle", { cx: x, cy: y, r: 4, fill: "#e0533d" }));
      }
    });
    return svg;
  },
  caption(state) {
    const count = (color) => state.cells.filter((cell) => cell === color).length;
    return element("p", {}, `● ${count("X")}   ○ ${count("O")}`);
  },
  final: (state) => state.cells.join("") + " " + state.turn,
};

const BANQI = {
  start(text) {
    const cells = Array(32).fill("X");
    if (text) text.split(" ")[0].split("/").reverse().forEach((rank, y) => [...rank].forEach((cell, x) => { cells[4 * y + x] = cell; }));
    return { cells, last: [], captured: [] };
  },
  play(state, move) {
    const cells = [...state.cells], at = square(move.slice(0, 2));
    if (move[2] === "=") { cells[at] = move[3]; return { cells, last: [at], captured: state.captured }; }
    const to = square(move.slice(2, 4));
    const captured = cells[to] === "." ? state.captured : [...state.captured, cells[to]];
    cells[to] = cells[at];
    cells[at] = ".";
    return { cells, last: [at, to], captured };
  },
  board(state) {
    const size = 58, edge = 20, width = 4 * size + 2 * edge, height = 8 * size + 2 * edge;
    const svg = drawing("svg", { class: "board", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "board" });
    svg.append(drawing("rect", { width, height, fill: "var(--card)" }));
    svg.append(drawing("rect", { x: edge, y: edge, width: 4 * size, height: 8 * size, fill: "var(--mark)", stroke: "var(--tile-edge)" }));
    for (let n = 1; n < 8; n++) {
      if (n < 4) svg.append(drawing("line", { x1: edge + n * size, x2: edge + n * size, y1: edge, y2: edge + 8 * size, stroke: "var(--tile-edge)", opacity: 0.5 }));
      svg.append(drawing("line", { y1: edge + n * size, y2: edge + n * size, x1: edge, x2: edge + 4 * size, stroke: "var(--tile-edge)", opacity: 0.5 }));
    }
    for (let n = 0; n < 4; n++) label(svg, edge + (n + 0.5) * size, height - 5, "abcd"[n]);
    for (let n = 0; n < 8; n++) label(svg, edge - 10, edge + (7.5 - n) * size + 4, String(n + 1));
    state.cells.forEach((cell, at) => {
      const x = edge + ((at % 4) + 0.5) * size, y = edge + (7.5 - Math.floor(at / 4)) * size;
      if (state.last.includes(at)) svg.append(drawing("rect", { x: x - size / 2 + 1, y: y - size / 2 + 1, width: size - 2, height: size - 2, fill: "#e0b23d55" }));
      if (cell === ".") return;
      const covered = cell === "X";
      svg.append(drawing("circle", { cx: x, cy: y, r: size * 0.42, fill: covered ? "#8a6a3b" : "var(--tile)", stroke: covered ? "#6d5128" : "var(--tile-edge)", "stroke-width": 2 }));
      if (covered) svg.append(drawing("circle", { cx: x, cy: y, r: size * 0.28, fill: "none", stroke: "#b08c55", "stroke-width": 1.5 }));
      else {
        const red = cell in RED, color = red ? "#b3261e" : "#1d1d1d";
        svg.append(drawing("circle", { cx: x, cy: y, r: size * 0.35, fill: "none", stroke: color, "stroke-width": 1 }));
        const man = drawing("text", { x, y: y + 9, "text-anchor": "middle", style: `font-size:26px;fill:${color}` });
        man.append(red ? RED[cell] : BLACK[cell]);
        svg.append(man);
      }
    });
    return svg;
  },
  caption(state) {
    const covered = state.cells.filter((cell) => cell === "X").length;
    const tray = element("p", { class: "tray" }, ...state.captured.map((man) => element("span", { class: man in RED ? "r" : "b" }, RED[man] || BLACK[man])));
    return element("div", {}, element("p", { class: "soft" }, `${covered} covered, ${state.captured.length} captured`), tray);
  },
  final: (state) => [7, 6, 5, 4, 3, 2, 1, 0].map((y) => state.cells.slice(4 * y, 4 * y + 4).join("")).join("/"),
};

const square = (name) => name.charCodeAt(0) - 97 + 4 * (Number(name[1]) - 1);

function label(svg, x, y, text) {
  const made = drawing("text", { x, y, "text-anchor": "middle" });
  made.append(text);
  svg.append(made);
}

/* --- the list of games and the viewer --------------------------------------------------------------------- */

const RULES = DATA.game === "othello" ? OTHELLO : BANQI;
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

function entry(game, index) {
  const score = { p1: "1–0", p2: "0–1", draw: "½–½" }[game.winner] || "void";
  const margin = game.margin ? " " + signed(game.margin, game.margin % 1 ? 1 : 0) : "";
  return element("button", { class: "game", "data-index": index, onclick: () => openGame(index) },
    element("span", { class: "number" }, String(game.number)), element("em", {}, game.players.join(" – ")),
    element("span", { class: "score" }, score + margin),
    element("small", { class: FAULTS.has(game.ending) ? "fault" : null }, `${words(game.ending)}, ${game.moves.length} plies`));
}

function markEntry() {
  for (const button of document.querySelectorAll(".game")) button.setAttribute("aria-current", String(Number(button.dataset.index) === current));
}

function openGame(index) {
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
  const side = (seat) => element("span", { style: `color:${colorOf(game, seat)}` }, (DATA.game === "othello" ? "●○"[seat] + " " : "") + game.players[seat]);
  const moves = element("div", { class: "moves" });
  game.moves.forEach((move, at) => {
    if (at % 2 === 0) moves.append(element("span", {}, at / 2 + 1 + "."));
    const note = game.evals[at] === null || game.evals[at] === undefined ? "" : scoreText(game.evals[at]);
    moves.append(element("button", { class: at < game.openingPlies ? "opening" : null, "data-ply": at + 1, onclick: () => showPly(at + 1) }, move, element("small", {}, note)));
  });
  const boardBox = element("div", { id: "board" }), caption = element("div", { id: "caption" });
  const controls = element("div", { class: "controls" },
    ...[["|◀", "Home", () => 0], ["◀", "Left arrow", () => ply - 1], ["▶", "Right arrow", () => ply + 1], ["▶|", "End", () => states.length - 1]].map(([sign, title, where]) =>
      element("button", { title, "aria-label": title, onclick: () => showPly(where()) }, sign)), element("span", { id: "ply" }));
  const detail = game.detail ? element("p", { class: "soft" }, game.detail) : null;
  document.getElementById("viewer").replaceChildren(element("div", { class: "card" },
    element("h2", {}, `Game ${game.number}: `, side(0), " – ", side(1)),
    element("p", { class: "soft" }, [words(game.ending), game.opening && "opening " + game.opening, game.date].filter(Boolean).join(" · ")), detail,
    element("div", { class: `stage ${DATA.game}`, style: "margin-top:.9rem" }, element("div", {}, boardBox, controls, caption), moves),
    evalGraph(game), proof(game), notes(game)));
  showPly(states.length - 1);
}

function showPly(wanted) {
  if (current < 0) return;
  ply = Math.max(0, Math.min(states.length - 1, wanted));
  document.getElementById("board").replaceChildren(RULES.board(states[ply]));
  document.getElementById("caption").replaceChildren(RULES.caption(states[ply]));
  document.getElementById("ply").textContent = `ply ${ply} of ${states.length - 1}`;
  for (const button of document.querySelectorAll(".moves button")) {
    const here = Number(button.dataset.ply) === ply;
    button.setAttribute("aria-current", String(here));
    if (here) button.parentElement.scrollTop = button.offsetTop - button.parentElement.offsetTop - 120;
  }
  const cursor = document.getElementById("cursor");
  if (cursor) cursor.setAttribute("transform", `translate(${cursorX(ply)} 0)`);
}

const GRAPH = { width: 720, height: 150, left: 40, right: 8 };
const cursorX = (at) => GRAPH.left + (at / Math.max(1, states.length - 1)) * (GRAPH.width - GRAPH.left - GRAPH.right);

/** Both engines' scores from the first player's view, time below. */
function evalGraph(game) {
  const { width, height, left, right } = GRAPH;
  const lines = [[], []];
  game.evals.forEach((value, at) => {
    if (value === null) return;
    const seat = seatOf(game, at);
    lines[seat].push([at + 1, seat ? -value : value]);
  });
  const all = lines.flat().map((p) => Math.abs(p[1]));
  const svg = drawing("svg", { class: "graph", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "scores and times" });
  const times = game.times.filter((time) => time !== null);
  if (!all.length && !times.length) return null;
  const most = Math.max(1, ...all.map((value) => Math.min(value, DATA.game === "othello" ? 64 : 30))), middle = 60;
  const y = (value) => middle - (Math.max(-most, Math.min(most, value)) / most) * 50;
  svg.append(drawing("line", { class: "zero", x1: left, x2: width - right, y1: middle, y2: middle }));
  for (const value of [most, -most]) {
    const text = drawing("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" });
    text.append(signed(value, 0));
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
  svg.append(text, drawing("line", { id: "cursor", x1: 0, x2: 0, y1: 4, y2: height - 2, stroke: "var(--ink)", "stroke-width": 1 }));
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * width;
    showPly(Math.round(((at - left) / (width - left - right)) * (states.length - 1)));
  });
  return svg;
}

const scoreText = (value) => (Math.abs(value) > 900 ? (value > 0 ? "wins" : "loses") : signed(value, 2));

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
  const place = shown.indexOf(current);
  const actions = {
    ArrowLeft: () => showPly(ply - 1), ArrowRight: () => showPly(ply + 1), Home: () => showPly(0), End: () => showPly(states.length - 1),
    ArrowUp: () => openGame(shown[place - 1]), ArrowDown: () => openGame(shown[place + 1]),
  };
  if (actions[event.key]) { event.preventDefault(); actions[event.key](); }
});

showHead();
showResult();
showCurves();
showEngines();
showList();
if (DATA.games.length) openGame(DATA.games.length - 1);
document.getElementById("foot").append("Arrow keys: left and right step through a game, up and down choose one. " + DATA.foot);

/** For tests: the position on the board as text. */
window.fanqiReport = { goto: (index, at) => { openGame(index); showPly(at === undefined ? states.length - 1 : at); return RULES.final(states[ply]); }, games: DATA.games.length };
