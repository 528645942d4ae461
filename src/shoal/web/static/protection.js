/* Protection page: dependencies between options. */
"use strict";

(() => {
  const form = document.getElementById("choices");
  const summary = document.getElementById("method-summary");

  /* Description of the selected method. */
  const tell = () => {
    summary.textContent = form.elements.method_own.selectedOptions[0]?.dataset.words || "";
  };

  /* Selected option beside the title of a section, visible while it is collapsed. */
  const show = (part) => {
    const cards = [...part.querySelectorAll(".pick > label:has(> input:checked)")].map(named);
    const lists = [...part.querySelectorAll("select[data-shown]")].map((list) => list.selectedOptions[0].text);
    if (cards.length || lists.length) part.querySelector(".chosen").textContent = [...cards, ...lists].join(", ");
  };

  const named = (card) => {
    const field = card.querySelector("input[type=number], select");
    if (!field?.value) return card.querySelector("strong").textContent;
    return `${field.value} ${field.matches("select") ? "" : field.nextSibling.textContent}`.trim();
  };

  form.addEventListener("input", (event) => {
    if (event.target.name === "method_own") tell();
    // auto always uses local search; the style sheet hides the card for none
    const { method, effort } = form.elements;
    if (method.value === "auto" && effort.value === "") effort.value = "balanced";
    form.querySelectorAll(".part").forEach(show);
  });

  /* Enable the next step once k is chosen. */
  document.addEventListener("shoal:saved", async () => {
    const chosen = form.elements.k.value === "own" ? form.elements.k_own.value : form.elements.k.value;
    const hint = document.querySelector("[data-until-k]");
    if (hint.hidden === Boolean(chosen)) return;
    hint.hidden = Boolean(chosen);
    const text = await (await shoal.ask(location.pathname)).text();
    const fresh = new DOMParser().parseFromString(text, "text/html").querySelector("nav.path");
    document.querySelector("nav.path").replaceWith(fresh);
  });

  tell();
  form.querySelectorAll(".part").forEach(show);
})();
