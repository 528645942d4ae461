/* Run page: a click on a point of the chart, or on its row, selects it. */
"use strict";

(() => {
  const form = document.querySelector("[data-points]");
  if (form) {
    const button = form.querySelector("[data-release]");
    const ring = form.querySelector("svg .ring");

    const show = (radio) => {
      for (const panel of form.querySelectorAll("[data-point]")) panel.hidden = panel.dataset.point !== radio.value;
      button.textContent = `Release with ${radio.dataset.name}`;
      for (const link of form.querySelectorAll("svg a")) link.removeAttribute("aria-current");
      const link = form.querySelector(`svg a[href="#${radio.id}"]`);
      if (ring) ring.style.display = link ? "" : "none";
      if (!link || !ring) return;
      link.setAttribute("aria-current", "true");
      const hit = link.querySelector(".hit");
      for (const name of ["cx", "cy"]) ring.setAttribute(name, hit.getAttribute(name));
      const frame = ring.closest(".scroll"); // on a phone the chart is wider than the page
      frame.scrollLeft += hit.getBoundingClientRect().left - frame.getBoundingClientRect().left - frame.clientWidth / 2;
    };

    form.addEventListener("change", (event) => {
      if (event.target.name === "point") show(event.target);
    });
    const links = (event) => {
      const here = document.elementsFromPoint(event.clientX, event.clientY).map((element) => element.closest("svg a"));
      return [...new Set(here)].filter((link) => form.contains(link));
    };

    form.addEventListener("click", (event) => {
      const link = event.target.closest("svg a");
      if (!link) return;
      event.preventDefault();
      const all = event.detail ? links(event) : [link]; // the keyboard targets one
      const at = all.findIndex((one) => one.hasAttribute("aria-current"));
      const next = all[(at + 1) % all.length] || link; // the next click selects the one below
      const radio = document.getElementById(next.getAttribute("href").slice(1));
      radio.checked = true;
      show(radio);
    });
    const chosen = form.querySelector("input[name=point]:checked");
    if (chosen) show(chosen);
  }

  /* ticking a method switches to the selection of methods */
  const which = document.querySelector("[data-which]");
  which?.addEventListener("change", (event) => {
    if (event.target.name === "method") which.querySelector("[value=chosen]").checked = true;
    if (event.target.value === "chosen") which.querySelector("details").open = true;
  });
})();
