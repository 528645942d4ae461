/* Columns page: every change is saved at once; columns can be searched, selected together, and expanded. */
"use strict";

(() => {
  const form = document.getElementById("columns");
  if (!form) return;
  const rows = [...document.querySelectorAll("#rows > tr[data-name]")];
  const state = document.getElementById("state");
  const next = form.querySelector('[name="continue"]');
  const FIELD = /^(role|kind|weight|recode|keep)-\d+$/;

  let last = Promise.resolve();

  function keep(fields) {
    last = shoal.enqueue(form, async () => {
      try {
        const sent = new URLSearchParams(fields);
        sent.set("revision", form.elements.revision.value);
        const answer = await shoal.send(form.action, sent);
        state.innerHTML = await answer.text(); // our own server escapes what it sends
        tell();
        shoal.say("Saved");
        return true;
      } catch (error) {
        shoal.complain(error.message);
        return false;
      }
    });
    return last;
  }

  function tell() {
    next.toggleAttribute("disabled", !state.querySelector("[data-ready]").dataset.ready);
  }

  /* A changed role clears the confirmation. */
  function mark(row, { changed = false } = {}) {
    const chosen = row.querySelector(".roles input:checked");
    row.classList.toggle("other", chosen.value !== row.dataset.proposed);
    const confirmed = row.querySelector('.keep [type="checkbox"]');
    if (changed && confirmed) confirmed.checked = false;
  }

  form.addEventListener("change", async (event) => {
    const field = event.target;
    if (FIELD.test(field.name)) {
      if (!field.checkValidity()) return field.reportValidity();
      const row = field.closest("tr[data-name]");
      const role = field.name.startsWith("role-");
      if (role) mark(row, { changed: true });
      const value = field.type === "checkbox" && !field.checked ? "no" : field.value;
      const kept = await keep([[field.name, value]]);
      const details = field.closest("tr.opened");
      if (kept && (field.name.startsWith("kind-") || role)) await told(details || opened(row), field.id);
    } else if (field.name === "pick" || field.id === "all") {
      count();
    }
    return undefined;
  });

  /* Details: a row below, rendered by the server. */

  const opened = (row) => (row?.nextElementSibling?.matches(".opened") ? row.nextElementSibling : null);

  async function told(place, focus) {
    if (!place) return;
    try {
      const answer = await shoal.ask(place.dataset.from);
      place.firstElementChild.innerHTML = await answer.text(); // our own server escapes what it sends
      place.previousElementSibling.querySelector(".kind").textContent = place.querySelector("[data-kind]").dataset.kind;
      if (focus) document.getElementById(focus)?.focus();
    } catch (error) {
      shoal.complain(error.message);
    }
  }

  function close(row) {
    opened(row)?.remove();
    row.classList.remove("open");
    row.querySelector("[data-details]").setAttribute("aria-expanded", "false");
  }

  form.addEventListener("click", async (event) => {
    const link = event.target.closest("[data-details]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const row = link.closest("tr");
    if (opened(row)) return close(row);
    const place = shoal.made("tr", { className: "opened" }, shoal.made("td", { colSpan: 7 }));
    place.dataset.from = link.href;
    row.after(place);
    row.classList.add("open");
    link.setAttribute("aria-expanded", "true");
    await last;
    return told(place);
  });

  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches("input:not([type=search])")) event.preventDefault();
    if (event.key === "Enter" && event.target.matches("[type=number]")) event.target.blur();
    if (event.key === " " && event.target.matches("[data-details]")) {
      event.preventDefault();
      event.target.click();
    }
    const row = event.key === "Escape" && event.target.closest("tr.opened")?.previousElementSibling;
    if (row) {
      close(row);
      row.querySelector("[data-details]").focus();
    }
  });

  /* Search: "all" does not select hidden columns. */

  const find = document.getElementById("find");
  const all = document.getElementById("all");
  const ticks = rows.map((row) => row.querySelector('[name="pick"]'));

  find.addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
  find.addEventListener("input", () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row) => {
      const fits = words.every((word) => row.dataset.name.includes(word));
      row.hidden = !fits;
      const below = opened(row);
      if (below) below.hidden = !fits;
      shown += fits;
    });
    document.getElementById("nothing").hidden = shown > 0;
    document.getElementById("found").textContent = words.length ? `${shown} of ${rows.length} columns` : "";
    count();
  });

  /* Bulk actions. */

  const set = form.querySelector('[name="bulk"][value="role"]');
  let from = null;

  function count() {
    const chosen = ticks.filter((tick) => tick.checked).length;
    const shown = ticks.filter((tick, i) => !rows[i].hidden);
    const ticked = shown.filter((tick) => tick.checked).length;
    document.getElementById("chosen").textContent = chosen ? `${chosen} chosen` : "chosen";
    set.disabled = !chosen;
    all.checked = ticked > 0 && ticked === shown.length;
    all.indeterminate = ticked > 0 && ticked < shown.length;
  }

  all.addEventListener("change", () => {
    ticks.forEach((tick, i) => { if (!rows[i].hidden) tick.checked = all.checked; });
  });

  /* Shift-click selects a range. */
  form.addEventListener("click", (event) => {
    const here = ticks.indexOf(event.target);
    if (here < 0) return;
    if (event.shiftKey && from !== null) {
      const [low, high] = from < here ? [from, here] : [here, from];
      for (let i = low; i <= high; i += 1) if (!rows[i].hidden) ticks[i].checked = event.target.checked;
      count();
    }
    from = here;
  });

  form.addEventListener("submit", async (event) => {
    const button = event.submitter;
    event.preventDefault();
    if (button?.name === "continue") {
      if ((await last) !== false) location.assign(button.dataset.to);
    } else if (button?.value === "proposed") {
      const other = rows.filter((row) => row.classList.contains("other")).length;
      const changed = `You gave ${other === 1 ? "1 column another role" : `${other} columns other roles`} than proposed.`;
      if (other && !(await shoal.sure(`${changed} Give ${other === 1 ? "it" : "them"} up?`, "Take the proposed roles"))) return;
      if (await keep([["bulk", "proposed"]])) rows.forEach((row) => choose(row, row.dataset.proposed));
    } else if (button?.value === "drop") {
      if (await keep([["bulk", "drop"]])) location.reload();
    } else if (button?.value === "role") {
      const role = form.elements["bulk-role"].value;
      const picked = rows.filter((row, i) => ticks[i].checked);
      const fields = [["bulk", "role"], ["bulk-role", role], ...ticks.filter((tick) => tick.checked).map((tick) => ["pick", tick.value])];
      if (await keep(fields)) picked.forEach((row) => choose(row, role));
      ticks.forEach((tick) => { tick.checked = false; });
      count();
    }
  });

  function choose(row, role) {
    const field = row.querySelector(`.roles input[value="${role}"]`);
    const changed = !field.checked;
    field.checked = true;
    mark(row, { changed });
    told(opened(row));
  }

  form.querySelectorAll("[data-details]").forEach((link) => {
    link.setAttribute("role", "button");
    link.setAttribute("aria-expanded", "false");
  });
  form.querySelectorAll("[hidden].find, #all").forEach((element) => { element.hidden = false; });
  tell();
  count();
})();
