"use strict";
// Each finding with a trace is a player: one step at a time lights up in the diagram and in the source.
for (const finding of document.querySelectorAll("section.finding[data-steps]")) {
  const steps = JSON.parse(finding.querySelector("script.steps").textContent);
  const find = (selector) => finding.querySelector(selector);
  const slider = find("input"), what = find(".what"), diagram = find(".diagram");
  const rows = [...finding.querySelectorAll("svg .step")];
  let at = 0;
  const light = (lane, line, kind) => {
    const row = find(`.lane[data-task="${lane}"] .l[data-line="${line}"]`);
    if (!row) return;
    row.classList.add(kind);
    const box = row.parentElement;
    box.scrollTop = Math.max(0, row.offsetTop - box.offsetTop - box.clientHeight / 2);
  };
  const show = (step, remember) => {
    at = Math.min(Math.max(step, 0), steps.length);
    for (const e of finding.querySelectorAll(".now, .at, .acts")) e.classList.remove("now", "at", "acts");
    // Where every task is: at its own last step.
    const places = new Map();
    for (let i = 0; i < at; i++) places.set(steps[i].t, steps[i].l);
    const now = at > 0 ? steps[at - 1] : null;
    for (const [lane, line] of places) light(lane, line, now && now.t === lane ? "now" : "at");
    if (now) {
      const lane = find(`.lane[data-task="${now.t}"]`);
      if (lane) lane.classList.add("acts");
    }
    for (const row of rows) {
      const n = Number(row.dataset.step);
      row.classList.toggle("later", n > at);
      row.classList.toggle("now", n === at);
      if (n === at) {
        const y = Number(row.dataset.y);
        const x = Number(row.dataset.x);
        if (y < diagram.scrollTop + 30 || y > diagram.scrollTop + diagram.clientHeight - 60)
          diagram.scrollTop = y - diagram.clientHeight / 2;
        if (x < diagram.scrollLeft + 20 || x > diagram.scrollLeft + diagram.clientWidth - 180)
          diagram.scrollLeft = x - diagram.clientWidth / 2;
      }
    }
    for (const li of finding.querySelectorAll(".story li")) li.classList.toggle("now", Number(li.dataset.step) === at);
    slider.value = at;
    const changes = now && now.c.length ? "  [" + now.c.join(", ") + "]" : "";
    what.textContent = now ? `${at} of ${steps.length}: ${now.n} ${now.x}${changes}` : `0 of ${steps.length}: the start`;
    if (remember) history.replaceState(null, "", `#${finding.id}.${at}`);
  };
  const actions = { first: () => 0, back: () => at - 1, next: () => at + 1, last: () => steps.length };
  for (const button of finding.querySelectorAll(".bar button"))
    button.addEventListener("click", () => show(actions[button.dataset.go](), true));
  slider.addEventListener("input", () => show(Number(slider.value), true));
  for (const e of finding.querySelectorAll(".story button, svg .step"))
    e.addEventListener("click", () => show(Number(e.closest("[data-step]").dataset.step), true));
  finding.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const key = { ArrowRight: "next", ArrowLeft: "back", Home: "first", End: "last" }[event.key];
    if (!key || event.target === slider) return;
    event.preventDefault();
    show(actions[key](), true);
  });
  const wanted = location.hash.match(new RegExp(`^#${finding.id}\\.(\\d+)$`));
  show(wanted ? Number(wanted[1]) : steps.length, false);
  if (wanted) finding.scrollIntoView();
}
