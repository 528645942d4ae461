/* The step protection: what one choice means for another. */
"use strict";

(() => {
  const form = document.getElementById("choices");
  const summary = document.getElementById("method-summary");

  /* The words of the method in the list. */
  const tell = () => {
    summary.textContent = form.elements.method_own.selectedOptions[0]?.dataset.words || "";
  };

  /* What is chosen in a part, beside its title: one sees it while the part is shut. */
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
    // the method that Shoal chooses is always improved; the style sheet hides the card for none
    const { method, effort } = form.elements;
    if (method.value === "auto" && effort.value === "") effort.value = "balanced";
    form.querySelectorAll(".part").forEach(show);
  });

  /* Once k is chosen one can go on, and the bar of steps says so. */
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
