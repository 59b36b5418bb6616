"use strict";

/** The page works by its links; this only makes them quicker: no jumps, no trail in the history, and keys. */

const games = [...document.querySelectorAll("article.game")];
let current = games[0];

const panels = (game) => [...game.querySelectorAll(".ply")];

function show(game, ply) {
  const all = panels(game), place = Math.max(0, Math.min(all.length - 1, ply));
  all.forEach((panel, at) => panel.classList.toggle("shown", at === place));
  for (const row of game.querySelectorAll("tr[data-ply]")) {
    const here = Number(row.dataset.ply) === place;
    row.classList.toggle("now", here);
    const box = row.closest(".moves");
    if (here && (row.offsetTop < box.scrollTop + 40 || row.offsetTop > box.scrollTop + box.clientHeight - 40)) {
      box.scrollTop = row.offsetTop - box.clientHeight / 2;
    }
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
  const panel = panels(target[0])[target[1]];
  show(...target);
  if (window.matchMedia("(max-width: 56rem)").matches && !link.closest("nav")) panel.scrollIntoView({ block: "nearest" });
});

document.addEventListener("keydown", (event) => {
  if (!current || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const steps = { ArrowLeft: shown(current) - 1, ArrowRight: shown(current) + 1, Home: 0, End: panels(current).length - 1 };
  if (!(event.key in steps)) return;
  event.preventDefault();
  show(current, steps[event.key]);
});

document.addEventListener("pointerdown", (event) => {
  const game = event.target.closest && event.target.closest("article.game");
  if (game) current = game;
});

const first = place(location.hash);
for (const game of games) show(game, shown(game));
current = games[0];
if (first) {
  history.replaceState(null, "", location.pathname + location.search);
  show(...first);
}
