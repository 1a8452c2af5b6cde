// What scripts add to pages that work without them: progress as it happens, a place to drop a file, groups by dragging, and a check of a
// hierarchy while it is typed. Texts are set as text, and markup comes from this server alone.
"use strict";

// Progress: every change is told by the server; when work ends, the page is loaded again, which shows what came of it.
const tasks = document.getElementById("tasks");
if (tasks) {
  const known = new Map();
  for (const task of tasks.querySelectorAll("[data-task]")) known.set(task.dataset.task, task);
  let busy = [...known.values()].some((task) => task.querySelector("progress"));
  const events = new EventSource(tasks.dataset.events);
  events.onmessage = (event) => {
    const told = JSON.parse(event.data);
    for (const own of told) {
      const task = known.get(String(own.id));
      if (!task) { busy = true; continue; }
      task.querySelector(".state").textContent = own.state;
      task.querySelector(".stage").textContent = own.stage ? ", " + own.stage : "";
      const progress = task.querySelector("progress");
      if (!progress) continue;
      if (own.total) { progress.max = own.total; progress.value = own.done; } else progress.removeAttribute("value");
    }
    const working = told.some((own) => own.state === "waiting" || own.state === "running");
    if (busy && !working) { events.close(); location.reload(); }
    busy = working;
  };
  addEventListener("pagehide", () => events.close());
}

// A file that is dropped is one that was chosen.
const drop = document.getElementById("drop");
if (drop) {
  const file = document.getElementById("file");
  drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    if (event.dataTransfer.files.length) { file.files = event.dataTransfer.files; file.focus(); }
  });
}

// A hierarchy is checked against the column half a second after the last change.
const hierarchy = document.getElementById("hierarchy");
if (hierarchy) {
  const check = document.getElementById("check");
  let timer = 0;
  let asked = 0;
  hierarchy.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const own = ++asked;
      const answer = await fetch(hierarchy.dataset.check, { method: "POST", body: new URLSearchParams(new FormData(hierarchy)) });
      const made = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (own === asked) check.replaceChildren(...made.body.childNodes);
    }, 500);
  });
}

// A value that is dragged onto a group gets the name of the group.
const groups = document.getElementById("groups");
if (groups) {
  let dragged = null;
  groups.addEventListener("dragstart", (event) => {
    dragged = event.target.closest("tr[draggable]");
    if (dragged) event.dataTransfer.setData("text/plain", "");
  });
  for (const chip of groups.querySelectorAll(".chip")) {
    chip.addEventListener("dragover", (event) => { if (dragged) { event.preventDefault(); chip.classList.add("over"); } });
    chip.addEventListener("dragleave", () => chip.classList.remove("over"));
    chip.addEventListener("drop", (event) => {
      event.preventDefault();
      chip.classList.remove("over");
      if (dragged) dragged.querySelector("input").value = chip.dataset.group;
      dragged = null;
    });
  }
}
