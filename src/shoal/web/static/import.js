/* Import dialog of the data page: every change of a setting reloads the preview. */
"use strict";

(() => {
  const dialog = document.getElementById("import");
  if (!dialog) return;
  const DEBOUNCE = 400; // milliseconds after the last change
  const place = dialog.querySelector("[data-import]");
  let form = null;
  let columns = {}; // settings of single columns, by name
  let now = null;
  let timer = 0;

  function open() {
    if (dialog.open) return;
    form = null;
    place.replaceChildren();
    place.dataset.load = dialog.dataset.from;
    dialog.showModal();
    shoal.load(place);
  }

  const part = (selector) => dialog.querySelector(selector);
  const names = () => [...dialog.querySelectorAll("[data-shown] th[data-name]")].map((cell) => cell.dataset.name);

  place.addEventListener("shoal:loaded", (event) => {
    if (event.target !== place || !part("form")) return;
    form = part("form");
    columns = JSON.parse(form.elements.columns.value);
    list();
    ready();
    ask();
  });

  /* The open question: its field is focused and marked. */
  function ask() {
    const question = part("[data-question]");
    if (!question) return;
    const { question: name, column } = question.dataset;
    if (column && part("#one-column")) {
      part("#one-column").value = column;
      show();
    }
    const field = name === "column_formats" ? part("#one-format") : form.elements[name];
    field?.classList.add("asked-for");
    (question.querySelector("button") || field)?.focus();
  }

  /* One column: its format and its missing values. */

  function list() {
    const chosen = part("#one-column");
    if (!chosen) return;
    chosen.closest("section").hidden = !names().length && !Object.keys(columns).length;
    const before = chosen.value;
    const known = [...new Set([...names(), ...Object.keys(columns).filter((name) => columns[name].format || columns[name].missing)])];
    if (known.join("\n") === [...chosen.options].map((option) => option.value).join("\n")) return;
    chosen.replaceChildren(...known.map((name) => new Option(name, name)));
    if (known.includes(before)) chosen.value = before;
    show();
  }

  function show() {
    const said = columns[part("#one-column").value] || { format: "", missing: "" };
    const format = part("#one-format");
    const own = part("#one-format-own");
    const offered = [...format.options].some((option) => option.value === said.format);
    format.value = offered ? said.format : "own";
    own.value = offered ? "" : said.format;
    own.hidden = offered;
    part("#one-missing").value = said.missing || "";
  }

  function set(name, said) {
    columns[name] = { format: "", missing: "", ...columns[name], ...said };
    form.elements.columns.value = JSON.stringify(columns);
  }

  function take() {
    const format = part("#one-format");
    const name = part("#one-column").value;
    const said = format.value === "own" ? part("#one-format-own").value.trim() : format.value;
    if (name) set(name, { format: said, missing: part("#one-missing").value });
  }

  /* The preview: only the response to the latest settings is used. */

  function later() {
    clearTimeout(timer);
    timer = setTimeout(preview, DEBOUNCE);
  }

  async function preview() {
    const shown = part("[data-shown]");
    now?.abort();
    const mine = new AbortController();
    now = mine;
    shown.setAttribute("aria-busy", "true");
    const body = new URLSearchParams(new FormData(form));
    try {
      const answer = await shoal.settled(form.dataset.preview, { method: "POST", body, signal: mine.signal });
      const text = await answer.text();
      if (mine.signal.aborted) return;
      shown.innerHTML = text; // escaped by the server
      list();
    } catch (error) {
      if (mine.signal.aborted) return;
      const words = shoal.made("p", { className: "notice bad", textContent: error.message });
      words.dataset.error = "";
      shown.replaceChildren(words);
    }
    shown.removeAttribute("aria-busy");
    ready();
  }

  function ready() {
    part("[data-apply]").disabled = Boolean(part("[data-shown] [data-error]"));
  }

  /* A select with "another": its text field is visible only then. */
  function own(field) {
    const other = field.dataset?.own && document.getElementById(field.dataset.own);
    if (!other) return;
    other.hidden = field.value !== "own";
    if (!other.hidden) other.focus();
  }

  dialog.addEventListener("input", (event) => {
    if (!form?.contains(event.target)) return;
    own(event.target);
    if (event.target.id === "one-column") return show();
    if (event.target.id.startsWith("one-")) take();
    return later();
  });

  dialog.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.matches("[data-close]")) dialog.close();
    if (!form) return;
    if (button.matches("[data-format]")) {
      set(button.dataset.of, { format: button.dataset.format });
      part("#one-column").value = button.dataset.of;
      show();
      later();
    }
    if (button.matches("[data-answer]")) answer(JSON.parse(button.dataset.answer));
    if (button.matches("[data-reset]")) reset();
  });

  function answer(fields) {
    Object.entries(fields).forEach(([name, value]) => {
      if (name !== "columns") form.elements[name].value = value;
      else Object.entries(JSON.parse(value)).forEach(([column, said]) => set(column, said));
    });
    if (part("#one-column")) show();
    later();
  }

  function reset() {
    form.elements.reset.value = "yes";
    columns = {};
    form.elements.columns.value = "{}";
    form.querySelectorAll("select[name], input:not([type=hidden])[name], textarea[name]").forEach((field) => {
      field.value = "";
      own(field);
    });
    if (part("#one-column")) show();
    later();
  }

  document.addEventListener("click", (event) => {
    if (event.target.closest?.("[data-open-import]")) open();
  });

  dialog.addEventListener("close", () => {
    now?.abort();
    clearTimeout(timer);
    place.replaceChildren();
  });

  document.addEventListener("DOMContentLoaded", () => { if ("open" in dialog.dataset) open(); });
})();
