/* Script of the page. Data attributes select the behavior of an element; one function below for each. */
"use strict";

const shoal = (() => {
  const AGAIN = 300; // milliseconds until a pending response is requested again
  const POLL = 500;
  const GONE = "The page does not answer. Is Shoal still running in the window where it was started?";

  const token = () => document.querySelector('meta[name="csrf"]').content;
  const wait = (time) => new Promise((done) => setTimeout(done, time));
  const every = (place, selector) => [
    ...(place.matches && place.matches(selector) ? [place] : []),
    ...place.querySelectorAll(selector),
  ];

  const made = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  /* Notices: dismissed after a moment, or by the user. */

  let quiet = 0;

  function say(sentence) {
    const place = document.getElementById("said");
    place.textContent = sentence;
    clearTimeout(quiet);
    quiet = setTimeout(() => place.replaceChildren(), 2500);
  }

  function complain(sentence, { reload = false } = {}) {
    const close = made("button", { type: "button", className: "close", textContent: "×", ariaLabel: "Close" });
    const again = made("button", { type: "button", className: "small", textContent: "Show its present state" });
    const place = document.getElementById("refusal");
    close.addEventListener("click", () => place.replaceChildren());
    again.addEventListener("click", () => location.reload());
    place.replaceChildren(made("span", { textContent: sentence }), ...(reload ? [again] : []), close);
  }

  function content() {
    document.getElementById("refusal").replaceChildren();
  }

  /* Requests: return the response, or throw an Error with the message of the server. */

  async function ask(address, options = {}) {
    const headers = { "X-Requested-With": "shoal", "X-CSRF-Token": token(), ...options.headers };
    let answer;
    try {
      answer = await fetch(address, { credentials: "same-origin", ...options, headers });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Error(GONE);
    }
    if (answer.ok) return answer;
    throw Object.assign(new Error(await refusal(answer)), { status: answer.status });
  }

  async function refusal(answer) {
    const { error } = await answer.json().catch(() => ({}));
    return error || `The page answered with ${answer.status}.`;
  }

  /* Request again until the response is no longer pending. */
  async function settled(address, options) {
    let answer = await ask(address, options);
    while (answer.status === 202) {
      await wait(AGAIN);
      answer = await ask(address, options);
    }
    return answer;
  }

  /* Post fields, and store the new revision. */
  async function send(address, fields) {
    const body = fields instanceof URLSearchParams ? fields : new URLSearchParams(fields);
    const answer = await ask(address, { method: "POST", body, keepalive: true });
    const revision = answer.headers.get("X-Revision");
    if (revision !== null) every(document, 'input[name="revision"]').forEach((field) => (field.value = revision));
    return answer;
  }

  /* data-load="URL": a fragment that is loaded later. Only the latest request is used. */

  const loading = new WeakMap();

  async function load(element) {
    loading.get(element)?.abort();
    const now = new AbortController();
    loading.set(element, now);
    element.setAttribute("aria-busy", "true");
    if (!element.firstElementChild) {
      const words = element.dataset.loading || "One moment";
      element.replaceChildren(made("p", { className: "loading", textContent: words }));
    }
    try {
      const text = await (await settled(element.dataset.load, { signal: now.signal })).text();
      if (now.signal.aborted) return;
      element.innerHTML = text; // escaped by the server
      every(element, "[data-load]").filter((inner) => inner !== element).forEach(load);
      every(element, "[data-job]").forEach(follow);
    } catch (error) {
      if (now.signal.aborted) return;
      const retry = made("button", { type: "button", className: "small", textContent: "Try again" });
      retry.addEventListener("click", () => { element.replaceChildren(); load(element); });
      const words = made("p", { textContent: error.message });
      element.replaceChildren(made("div", { className: "notice bad stack" }, words, retry));
    }
    element.removeAttribute("aria-busy");
    element.dispatchEvent(new CustomEvent("shoal:loaded", { bubbles: true }));
  }

  /* Changes of a form are saved in sequence, since each request needs the revision of the previous one. */

  const saving = new Map();

  function enqueue(form, change) {
    const mine = (saving.get(form) || Promise.resolve()).then(change).finally(() => {
      if (saving.get(form) === mine) saving.delete(form);
    });
    saving.set(form, mine);
    return mine;
  }

  const saved = () => Promise.all(saving.values());

  /* form data-autosave: every change is saved at once. */

  const save = (form) => enqueue(form, async () => {
    try {
      await send(form.action, new URLSearchParams(new FormData(form)));
      content();
      say("Saved");
      document.dispatchEvent(new CustomEvent("shoal:saved"));
    } catch (error) {
      complain(error.message, { reload: error.status === 409 });
    }
  });

  document.addEventListener("change", (event) => {
    const form = event.target.form;
    if (form?.matches("[data-autosave]") && event.target.name) save(form);
  });

  document.addEventListener("keydown", (event) => {
    const field = event.target;
    if (event.key !== "Enter" || !field.matches("form[data-autosave] input")) return;
    event.preventDefault(); // the whole form is submitted only by its button
    if (!field.matches('[type="radio"], [type="checkbox"]')) save(field.form);
  });

  /* A card with a text field: typing selects the card, selecting the card focuses the field. */

  const typed = (field) =>
    field.matches('.pick > label input[type="number"], .pick > label select') &&
    field.closest("label").querySelector('input[type="radio"]');

  document.addEventListener("input", (event) => {
    const card = typed(event.target);
    if (card && !card.disabled) card.checked = true;
  });

  document.addEventListener("click", (event) => {
    if (!event.target.matches('.pick > label > input[type="radio"]') || event.detail === 0) return; // not with the arrow keys
    event.target.closest("label").querySelector('input[type="number"]')?.focus();
  });

  /* Warn before the page is left while a change is being saved. */
  document.addEventListener("click", async (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || !saving.size || event.defaultPrevented || link.target) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    await saved();
    location.assign(link.href);
  });

  /* Make an invalid field visible. */
  document.addEventListener("invalid", (event) => {
    const shut = event.target.closest("details:not([open])");
    if (shut) shut.open = true;
  }, true);

  /* Confirmation dialog. */
  function sure(sentence, label) {
    const cancel = made("button", { type: "button", textContent: "Cancel", autofocus: true });
    const go = made("button", { type: "button", className: "danger", textContent: label });
    const words = made("p", { id: "asked", textContent: sentence });
    const dialog = made("dialog", {}, words, made("div", { className: "actions" }, cancel, go));
    dialog.setAttribute("aria-labelledby", "asked");
    cancel.addEventListener("click", () => dialog.close());
    go.addEventListener("click", () => dialog.close("yes"));
    document.body.append(dialog);
    dialog.showModal();
    return new Promise((answer) => {
      dialog.addEventListener("close", () => {
        dialog.remove();
        answer(dialog.returnValue === "yes");
      });
    });
  }

  /* form data-confirm="sentence": asks for confirmation. */

  const agreed = new WeakSet();

  document.addEventListener("submit", async (event) => {
    const form = event.target;
    const button = event.submitter;
    if (form.dataset.confirm && !agreed.delete(form)) {
      event.preventDefault();
      if (!(await sure(form.dataset.confirm, form.dataset.do || button?.textContent.trim() || "Yes"))) return;
      agreed.add(form);
      form.requestSubmit(button?.form === form ? button : undefined);
    } else if (saving.size && !event.defaultPrevented) {
      event.preventDefault();
      await saved();
      form.requestSubmit(button || undefined);
    }
  });

  /* data-copy="#id": a button that copies the text of an element. */

  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-copy]");
    if (!button) return;
    const source = document.querySelector(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
      say("Copied");
    } catch {
      getSelection().selectAllChildren(source);
      say("Press Ctrl+C to copy the selected text");
    }
  });

  /* data-job="URL": displays the progress of a job, and reloads the page at its end. */

  const lasting = (seconds) => {
    if (seconds < 10) return "a few seconds left";
    if (seconds < 90) return `about ${Math.round(seconds / 5) * 5} s left`;
    if (seconds < 5400) return `about ${Math.round(seconds / 60)} min left`;
    return `about ${(seconds / 3600).toFixed(1)} h left`;
  };

  const write = (place, selector, words) => every(place, selector).forEach((element) => {
    if (element.textContent !== words) element.textContent = words;
  });

  function tell(place, job) {
    write(place, "[data-job-stage]", job.stage);
    write(place, "[data-job-left]", job.left === null ? `${Math.round(job.seconds)} s so far` : lasting(job.left));
    every(place, "progress").forEach((bar) => {
      if (job.share === null) bar.removeAttribute("value");
      else bar.value = job.share * (bar.max || 1);
    });
  }

  async function follow(place) {
    let failures = 0;
    while (place.isConnected) {
      try {
        const job = await (await ask(place.dataset.job)).json();
        if (job.state !== "running") return location.reload();
        if (failures) content();
        failures = 0;
        tell(place, job);
      } catch (error) {
        failures += 1;
        if (failures === 3) complain(error.message);
      }
      await wait(POLL * Math.min(1 + failures, 10));
    }
    return undefined;
  }

  /* data-upload="URL": drop zone for a file; data-most is its maximum size in bytes, data-known the hash of the file
     that it replaces. */

  const size = (bytes) => {
    if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`;
    return bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.ceil(bytes / 1e3)} kB`;
  };

  function upload(zone, file) {
    const state = zone.querySelector("[data-upload-state]");
    const words = made("p", { textContent: `Taking over ${file.name}` });
    const bar = made("progress", { max: 1, value: 0, ariaLabel: `Taking over ${file.name}` });
    const cancel = made("button", { type: "button", className: "small", textContent: "Cancel" });
    const request = new XMLHttpRequest();
    const asks = (event) => event.preventDefault(); // leaving stops the upload: the browser asks for confirmation
    const ended = (...shown) => {
      window.removeEventListener("beforeunload", asks);
      zone.classList.remove("busy");
      state.replaceChildren(...shown);
    };
    const refused = (sentence) => ended(made("p", { className: "notice bad", textContent: sentence, role: "alert" }));
    window.addEventListener("beforeunload", asks);
    zone.classList.add("busy");
    state.replaceChildren(words, bar, cancel);
    cancel.addEventListener("click", () => request.abort());
    request.upload.addEventListener("progress", (event) => {
      bar.value = event.loaded / event.total;
      words.textContent = `Taking over ${file.name}: ${size(event.loaded)} of ${size(event.total)}`;
    });
    request.addEventListener("abort", () => ended());
    request.addEventListener("error", () => refused(`${file.name} could not be taken over. ${GONE}`));
    request.addEventListener("load", () => {
      let answer = {};
      try { answer = JSON.parse(request.responseText); } catch { /* reported below */ }
      if (request.status >= 300 || !answer.location) {
        refused(answer.error || `The page answered with ${request.status}.`);
      } else {
        ended(words, bar);
        location.assign(answer.location);
      }
    });
    request.open("POST", zone.dataset.upload);
    request.setRequestHeader("X-Requested-With", "shoal");
    request.setRequestHeader("X-CSRF-Token", token());
    request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
    if ("known" in zone.dataset) request.setRequestHeader("X-Known-File", zone.dataset.known);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.send(file);
  }

  function take(zone, files) {
    const most = Number(zone.dataset.most) || Infinity;
    if (zone.classList.contains("busy") || !files.length) return;
    const [file] = files;
    if (files.length > 1) {
      complain("One file at a time: each release is made from one table.");
    } else if (file.size > most) {
      const found = `${file.name} has ${size(file.size)}, and the page takes at most ${size(most)}`;
      complain(`${found}. Start it with a higher --max-upload.`);
    } else {
      content();
      upload(zone, file);
    }
  }

  document.addEventListener("change", (event) => {
    const zone = event.target.matches('input[type="file"]') && event.target.closest("[data-upload]");
    if (!zone) return;
    take(zone, event.target.files);
    event.target.value = "";
  });

  const under = (event) => event.target.closest?.("[data-upload]") || document.querySelector("main [data-upload]");
  const carries = (event) => event.dataTransfer?.types.includes("Files");

  for (const name of ["dragenter", "dragover", "dragleave", "drop"]) {
    document.addEventListener(name, (event) => {
      if (!carries(event)) return;
      event.preventDefault(); // or the browser would open the file
      const zone = under(event);
      if (!zone) return;
      zone.classList.toggle("over", name === "dragenter" || name === "dragover");
      if (name === "drop") take(zone, event.dataTransfer.files);
    });
  }

  function start() {
    every(document, "[data-load]").forEach(load);
    every(document, "[data-job]").forEach(follow);
  }

  document.addEventListener("shoal:saved", () => every(document, "[data-load][data-fresh]").forEach(load));
  // a page from the browser cache has an outdated revision
  window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
  document.addEventListener("DOMContentLoaded", start); // after all scripts of the page, which listen for loaded fragments

  return { made, load, send, ask, settled, enqueue, say, complain, sure };
})();

window.shoal = shoal;
