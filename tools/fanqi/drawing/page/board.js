/* --- the board of every page: states of a game, the moves between them, and pictures ---------------------------
 * A picture is the same markup as that of fanqi.drawing.small_board and needs board_symbols() and boards.css in the page.
 * States are never changed: play() returns a new one. Moves are canonical, a flip of banqi has its outcome. */

function drawing(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const CELL = 50, EDGE = 24;

function boardPicture(width, label, parts) {
  return drawing("svg", { class: "board", viewBox: `0 0 ${width} 424`, role: "img", "aria-label": label }, ...parts);
}

/** The squares of a move: one, two, or none for a pass. */
function squaresOf(move) {
  return move && move !== "pass" ? move.split("=")[0].match(/../g) : [];
}

/** A small disc beside a text, the same in light and dark: 0 black, 1 white. */
function discSign(seat) {
  const made = document.createElement("i");
  made.className = "disc " + "xo"[seat];
  return made;
}

const OTHELLO = {
  /** The state of a position's text; without one that of the usual start. */
  start(text) {
    const [cells, turn] = text ? text.split(" ") : ["-".repeat(27) + "OX" + "-".repeat(6) + "XO" + "-".repeat(27), "X"];
    return { cells: [...cells.toUpperCase()], turn: turn.toUpperCase() === "O" || turn === "w" ? "O" : "X", last: "" };
  },
  play(state, move) {
    const cells = [...state.cells], turn = state.turn, other = turn === "X" ? "O" : "X";
    if (move === "pass") return { cells, turn: other, last: move };
    const at = move.charCodeAt(0) - 97 + 8 * (Number(move[1]) - 1);
    for (const dx of [-1, 0, 1]) for (const dy of [-1, 0, 1]) {
      const line = [];
      let x = (at % 8) + dx, y = Math.floor(at / 8) + dy;
      while ((dx || dy) && x >= 0 && x < 8 && y >= 0 && y < 8 && cells[8 * y + x] === other) { line.push(8 * y + x); x += dx; y += dy; }
      if (line.length && x >= 0 && x < 8 && y >= 0 && y < 8 && cells[8 * y + x] === turn) for (const index of line) cells[index] = turn;
    }
    cells[at] = turn;
    return { cells, turn: other, last: move };
  },
  centre: (square) => [EDGE + (square.charCodeAt(0) - 96.5) * CELL, (Number(square[1]) - 0.5) * CELL],
  count: (state, colour) => state.cells.filter((cell) => cell === colour).length,
  /** A picture; hint: a move whose target gets a ring. */
  board(state, hint = "") {
    const parts = [drawing("use", { href: "#othello-board" })];
    for (const colour of "XO") {
      let path = "";
      state.cells.forEach((cell, at) => {
        if (cell === colour) path += `M${EDGE + (at % 8) * CELL + 25} ${Math.floor(at / 8) * CELL + 25}h.01`;
      });
      if (path) parts.push(drawing("path", { class: colour.toLowerCase(), d: path }));
    }
    for (const [kind, squares, r] of [["last", squaresOf(state.last), 6], ["hint", squaresOf(hint), 17]]) for (const square of squares) {
      const [cx, cy] = OTHELLO.centre(square);
      parts.push(drawing("circle", { class: kind, cx, cy, r }));
    }
    const side = state.turn === "X" ? "Black" : "White";
    return boardPicture(426, `Black ${OTHELLO.count(state, "X")}, White ${OTHELLO.count(state, "O")}, ${side} to move`, parts);
  },
  /** What stands below the board, as a list of elements. */
  caption(state) {
    const made = document.createElement("p"), count = (colour) => String(OTHELLO.count(state, colour));
    made.className = "discs";
    made.append(discSign(0), `Black ${count("X")}`, discSign(1), `White ${count("O")}`);
    return [made];
  },
  final: (state) => state.cells.join("") + " " + state.turn,
};

const MEN = { K: "帥", G: "仕", M: "相", R: "俥", N: "傌", C: "炮", P: "兵", k: "將", g: "士", m: "象", r: "車", n: "馬", c: "包", p: "卒" };
const FULL_SET = "KGGMMRRNNCCPPPPP";

const BANQI = {
  start(text) {
    const [board, hidden] = text ? text.split(" ") : ["XXXX/".repeat(7) + "XXXX", FULL_SET + FULL_SET.toLowerCase()];
    return { rows: board.split("/").map((row) => [...row]), covered: hidden === "-" ? "" : hidden, last: "" };
  },
  play(state, move) {
    const rows = state.rows.map((row) => [...row]);
    const [from, to] = squaresOf(move).map((square) => [8 - Number(square[1]), square.charCodeAt(0) - 97]);
    if (!to) {
      rows[from[0]][from[1]] = move[3];
      return { rows, covered: state.covered.replace(move[3], ""), last: move };
    }
    rows[to[0]][to[1]] = rows[from[0]][from[1]];
    rows[from[0]][from[1]] = ".";
    return { rows, covered: state.covered, last: move };
  },
  centre: (square) => [EDGE + (square.charCodeAt(0) - 96.5) * CELL, (8.5 - Number(square[1])) * CELL],
  board(state, hint = "") {
    const parts = [drawing("use", { href: "#banqi-board" })];
    for (const square of squaresOf(state.last)) {
      const [x, y] = BANQI.centre(square);
      parts.push(drawing("rect", { class: "from", x: x - 25, y: y - 25, width: 50, height: 50 }));
    }
    state.rows.forEach((row, down) => row.forEach((cell, right) => {
      if (cell !== ".") parts.push(drawing("use", { href: `#m-${cell}`, x: EDGE + right * CELL + 25, y: down * CELL + 25 }));
    }));
    for (const square of squaresOf(hint).slice(-1)) {
      const [cx, cy] = BANQI.centre(square);
      parts.push(drawing("circle", { class: "hint", cx, cy, r: 22 }));
    }
    return boardPicture(226, `banqi board ${BANQI.final(state)}`, parts);
  },
  /** The men that each side has lost, strongest first: the full set less board and covered men. */
  captured(state) {
    const left = BANQI.final(state) + state.covered, count = (text, letter) => text.split(letter).length - 1;
    return [FULL_SET, FULL_SET.toLowerCase()].map((full) =>
      [...new Set(full)].map((letter) => letter.repeat(Math.max(0, count(full, letter) - count(left, letter)))).join(""));
  },
  caption(state) {
    const made = BANQI.captured(state).map((lost, black) => {
      const row = document.createElement("p"), name = document.createElement("span"), men = document.createElement("b");
      row.className = "tray";
      men.className = black ? "b" : "r";
      name.append(`${black ? "Black" : "Red"} lost ${lost.length}`);
      men.append([...lost].map((letter) => MEN[letter]).join(""));
      row.append(name, men);
      return row;
    });
    const row = document.createElement("p");
    row.className = "soft";
    row.append(`${state.covered.length} men covered`);
    return [...made, row];
  },
  final: (state) => state.rows.map((row) => row.join("")).join("/"),
};
