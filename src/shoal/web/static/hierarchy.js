/* Hierarchy page: search and selection of nodes, and the order of values. */
"use strict";

(() => {
  /* The build has finished: reload the page. */
  document.addEventListener("shoal:loaded", (event) => {
    if (event.target.matches("[data-again]") && !event.target.firstElementChild) location.reload();
    wire(event.target);
  });

  /* Open the section that the URL names. */
  const named = document.getElementById(location.hash.slice(1));
  if (named?.matches("details")) named.open = true;

  /* Checkboxes that tick all others of their form. */
  function wire(place) {
    place.querySelectorAll("[data-all]").forEach((all) => {
      const boxes = () => [...all.form.elements].filter((field) => field.name === all.dataset.all);
      all.addEventListener("change", () => boxes().forEach((box) => { box.checked = all.checked; }));
      all.form.addEventListener("change", () => {
        const ticked = boxes().filter((box) => box.checked).length;
        all.checked = ticked > 0;
        all.indeterminate = ticked > 0 && ticked < boxes().length;
      });
    });
  }

  /* Nodes: enable the actions that the selected ones allow. */
  const editor = document.getElementById("editor");
  if (editor) {
    const boxes = [...editor.querySelectorAll('[name="node"]')];
    const acts = [...editor.querySelectorAll("[data-least]")];
    const needs = { group: "name", rename: "name", move: "under" };
    const ticked = document.getElementById("ticked");
    const told = ticked.textContent;

    const look = () => {
      const chosen = boxes.filter((box) => box.checked);
      const root = chosen.some((box) => "root" in box.dataset);
      acts.forEach((act) => {
        const fits = chosen.length >= Number(act.dataset.least) && chosen.length <= Number(act.dataset.most || Infinity);
        const full = !needs[act.value] || editor.elements[needs[act.value]].value.trim();
        act.disabled = !fits || !full || (root && act.value !== "rename");
      });
      if (!chosen.length) ticked.textContent = told;
      else if (root && chosen.length > 1) ticked.textContent = "The root is chosen: it can only be renamed, by itself.";
      else ticked.textContent = `${chosen.length} ${chosen.length === 1 ? "node" : "nodes"} chosen.`;
    };
    editor.addEventListener("change", look);
    editor.addEventListener("input", look);
    /* Enter in a field triggers the button beside it, not the first one of the form. */
    editor.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !event.target.matches("input")) return;
      event.preventDefault();
      const act = event.target.closest(".act")?.querySelector("button:not(:disabled)");
      if (act && event.target.value) editor.requestSubmit(act);
    });
    look();

    const seek = document.getElementById("seek");
    const items = [...editor.querySelectorAll(".tree li")].reverse();
    seek.closest("[hidden]").hidden = false;
    seek.addEventListener("input", () => {
      const word = seek.value.toLowerCase();
      items.forEach((item) => {
        const fits = item.querySelector("bdi").title.toLowerCase().includes(word);
        item.hidden = Boolean(word) && !fits && !item.querySelector("li:not([hidden])");
      });
    });
  }

  /* The order of values: a list with buttons replaces the text field, unless it is too long. */
  const MOST = 400;
  const text = document.getElementById("levels");
  if (text) {
    const lines = () => text.value.split("\n").filter((line) => line.trim());
    const list = shoal.made("ol", { className: "order" });

    const keep = () => { text.value = [...list.children].map((item) => item.dataset.value).join("\n"); };

    const move = (item, by, word) => {
      const items = [...list.children];
      const to = Math.min(Math.max(items.indexOf(item) + by, 0), items.length - 1);
      if (items[to] === item) return;
      if (by < 0) items[to].before(item);
      else items[to].after(item);
      keep();
      item.querySelector(`[data-by="${word}"]`).focus();
      shoal.say(`${to + 1} of ${items.length}`);
    };

    const button = (item, word, sign, by) => {
      const ariaLabel = `Move ${item.dataset.value} ${word}`;
      const made = shoal.made("button", { type: "button", className: "small", textContent: sign, ariaLabel });
      made.dataset.by = word;
      made.addEventListener("click", () => move(item, by, word));
      return made;
    };

    const row = (value) => {
      const item = shoal.made("li", {}, shoal.made("bdi", { textContent: value }));
      item.dataset.value = value;
      item.append(button(item, "up", "↑", -1), button(item, "down", "↓", 1));
      item.addEventListener("keydown", (event) => {
        const by = { ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        move(item, by, by < 0 ? "up" : "down");
      });
      return item;
    };

    if (lines().length <= MOST) {
      list.append(...lines().map(row));
      text.hidden = true;
      text.before(list);
    }

    const fill = document.querySelector("[data-fill]");
    if (fill) {
      fill.hidden = false;
      fill.addEventListener("click", () => {
        const missing = JSON.parse(fill.dataset.fill);
        if (text.hidden) list.append(...missing.map(row));
        text.value = [...lines(), ...missing].join("\n");
        fill.closest(".notice").hidden = true;
      });
    }
  }

  wire(document);
})();
