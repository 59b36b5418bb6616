"use strict";

/** The page works by its links; this only makes them quicker: no jumps, no trail in the history, and keys. The address
 * follows what is shown, so that it can be passed on. */

document.documentElement.classList.add("scripted");

const games = [...document.querySelectorAll("article.game")];
let current = games[0];

const panels = (game) => [...game.querySelectorAll(".ply")];

function go(game, ply) {
  show(game, ply);
  history.replaceState(null, "", "#" + panels(game)[shown(game)].id);
}

function show(game, ply) {
  const all = panels(game), place = Math.max(0, Math.min(all.length - 1, ply));
  all.forEach((panel, at) => panel.classList.toggle("shown", at === place));
  for (const row of game.querySelectorAll("tr[data-ply]")) {
    const here = Number(row.dataset.ply) === place;
    row.classList.toggle("now", here);
    const box = row.closest(".moves");
    const top = row.getBoundingClientRect().top - box.getBoundingClientRect().top;
    if (here && (top < 40 || top > box.clientHeight - 40)) box.scrollTop += top - box.clientHeight / 2;
  }
  const graph = game.querySelector(".graph");
  if (graph) {
    const { left, right, plies } = graph.dataset;
    const x = Number(left) + (place / Math.max(1, Number(plies))) * (Number(right) - Number(left));
    const cursor = graph.querySelector(".cursor");
    cursor.setAttribute("x1", x);
    cursor.setAttribute("x2", x);
    cursor.setAttribute("visibility", "visible");
  }
  current = game;
}

const shown = (game) => panels(game).findIndex((panel) => panel.classList.contains("shown"));

function place(address) {
  const found = /^#g(\d+)p(\d+)$/.exec(address);
  const game = found && document.getElementById("game" + found[1]);
  return game ? [game, Number(found[2])] : null;
}

document.addEventListener("click", (event) => {
  const link = event.target.closest && event.target.closest("a");
  const target = link && place(link.getAttribute("href") || link.href.baseVal || "");
  if (!target) return;
  event.preventDefault();
  go(...target);
  if (link.closest(".graph")) reveal(target[0]);
});

document.addEventListener("keydown", (event) => {
  if (!current || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const steps = { ArrowLeft: shown(current) - 1, ArrowRight: shown(current) + 1, Home: 0, End: panels(current).length - 1 };
  if (!(event.key in steps)) return;
  event.preventDefault();
  go(current, steps[event.key]);
});

document.addEventListener("pointerdown", (event) => {
  const game = event.target.closest && event.target.closest("article.game");
  if (game) current = game;
});

/** Bring the board into view, if it is not. */
function reveal(game) {
  const board = panels(game)[shown(game)].querySelector(".board"), box = board.getBoundingClientRect();
  if (box.top < 0 || box.bottom > window.innerHeight) board.scrollIntoView({ block: box.height < window.innerHeight ? "center" : "start" });
}

function follow() {
  const found = place(location.hash);
  if (!found) return;
  show(...found);
  reveal(found[0]);
}

for (const game of games) show(game, shown(game));
current = games[0];
follow();
window.addEventListener("hashchange", follow);
