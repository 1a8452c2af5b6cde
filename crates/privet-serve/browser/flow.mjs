// Drives the page in a real browser through the whole flow, in light and dark, on a phone, and with the keyboard alone, and lets
// axe-core look at every page. `node flow.mjs PROGRAM [FOLDER]` starts PROGRAM and puts screenshots into FOLDER.
// It ends with 0 when everything holds, and tells what does not.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const [program, shots] = process.argv.slice(2);
const browser_path = process.env.PRIVET_TEST_BROWSER ?? "/usr/bin/chromium";
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const scratch = mkdtempSync(join(tmpdir(), "privet-browser-"));
if (shots) mkdirSync(shots, { recursive: true });
const problems = [];
let pages = 0;

function hold(condition, what) {
  if (!condition) { problems.push(what); console.error(`does not hold: ${what}`); }
}

function people(rows) {
  const ills = ["flu", "asthma", "cancer", "angina", "gastritis"];
  const cities = ["Ulm", "Bonn", "Kiel", "Trier"];
  let csv = "name,age,zip,sex,city,diagnosis\n";
  // Drawn alike every time.
  let seed = 7;
  const draw = (most) => { seed = (seed * 48271) % 2147483647; return seed % most; };
  for (let row = 0; row < rows; row++) {
    csv += `Person ${row},${20 + draw(60)},${10000 + draw(90) * 11},${draw(2) ? "m" : "f"},${cities[draw(4)]},${ills[draw(5)]}\n`;
  }
  return csv;
}

const server = spawn(program, ["--keep", join(scratch, "kept")], { stdio: ["ignore", "pipe", "inherit"] });
const address = await new Promise((resolve, reject) => {
  let text = "";
  server.stdout.on("data", (data) => { text += data; if (text.includes("\n")) resolve(text.trim()); });
  server.on("exit", () => reject(new Error("the program ended")));
});

const browser = await chromium.launch({ executablePath: browser_path, args: ["--no-sandbox"] });
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  // Whatever a page complains of, and whatever it asks of another host, is a fault.
  page.on("console", (message) => { if (message.type() === "error") hold(false, `${page.url()}: ${message.text()}`); });
  page.on("pageerror", (error) => hold(false, `${page.url()}: ${error}`));
  const host = new URL(address).origin;
  page.on("request", (request) => {
    const url = request.url();
    hold(url.startsWith(host) || url.startsWith("data:"), `asks another host: ${url}`);
  });

  async function look(name) {
    pages += 1;
    const found = await page.evaluate(`${axe}; axe.run(document, { iframes: false }).then((own) => JSON.stringify(own.violations.map((v) => ({ id: v.id, nodes: v.nodes.map((n) => n.html.slice(0, 160) + " | " + n.failureSummary.slice(0, 200)).slice(0, 3) }))))`);
    for (const violation of JSON.parse(found)) hold(false, `axe, ${name}: ${violation.id}: ${violation.nodes.join(" || ")}`);
    const wide = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    hold(wide <= 1, `${name}: the page is ${wide} pixels wider than the window`);
    if (shots) await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
  }

  async function settle() {
    await page.waitForFunction(() => !document.querySelector("progress"), null, { timeout: 120000 });
    await page.waitForLoadState();
  }

  await page.goto(address);
  await page.waitForURL(`${host}/`);
  hold(!(await page.evaluate("document.cookie")), "scripts can read the cookie");
  await look("1-start");

  const csv = join(scratch, "patients.csv");
  writeFileSync(csv, people(400));
  // With the mouse: a file that is dropped is one that was chosen.
  const dropped = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "patients.csv", { type: "text/csv" }));
    return data;
  }, people(400));
  await page.dispatchEvent("#drop", "dragover", { dataTransfer: dropped });
  await page.dispatchEvent("#drop", "drop", { dataTransfer: dropped });
  hold(await page.evaluate("document.getElementById('file').files[0]?.name") === "patients.csv", "a file can be dropped");
  await page.setInputFiles("#file", csv);
  await page.getByRole("button", { name: "Look at it" }).click();
  await page.waitForURL("**/data");
  hold(await page.locator("main").getByText("400 records").isVisible(), "the table is shown");
  await look("2-data");

  const project = page.url().replace(/\/data$/, "");
  await page.getByRole("link", { name: "Next: roles" }).click();
  for (const [column, role] of [["name", "identifier"], ["age", "quasi"], ["zip", "quasi"], ["sex", "quasi"], ["city", "quasi"], ["diagnosis", "sensitive"]]) {
    await page.getByLabel(`Role of ${column}`).selectOption(role);
  }
  await page.getByRole("button", { name: "Save roles" }).click();
  hold(await page.getByRole("img", { name: "Records that are alone by two columns" }).isVisible(), "the picture is shown");
  await look("3-roles");

  await page.getByRole("link", { name: "Next: hierarchies" }).click();
  await page.getByLabel("Intervals of numbers").check();
  await page.getByLabel("Widths").fill("wrong");
  await page.locator("#check").getByText("must be numbers").waitFor();
  await page.getByLabel("Widths").fill("10, 20");
  await page.getByLabel("From", { exact: true }).fill("0");
  await page.locator("#check").getByText("Covers every value").waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("link", { name: "zip", exact: true }).click();
  await page.getByLabel("Masks of characters").check();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("link", { name: "city", exact: true }).click();
  await page.locator("input[name=kind][value=file]").check();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  // With the keyboard: a name in a field. With the mouse: a value dragged onto a group.
  await page.getByLabel("Group of Ulm", { exact: true }).fill("south");
  await page.getByLabel("Group of Bonn", { exact: true }).fill("west");
  await page.getByRole("button", { name: "Save groups" }).click();
  await page.locator("tr[draggable]", { hasText: "Trier" }).dragTo(page.locator(".chip", { hasText: "west" }));
  hold(await page.getByLabel("Group of Trier", { exact: true }).inputValue() === "west", "a value can be dragged onto a group");
  await page.getByRole("button", { name: "Save groups" }).click();
  hold(await page.getByLabel("Group of Trier", { exact: true }).inputValue() === "west", "the group was saved");
  await look("4-hierarchies");

  await page.getByRole("link", { name: "Next: promises" }).click();
  await page.getByLabel("k-anonymity", { exact: true }).check();
  await page.locator("input[name='k-anonymity.k']").fill("5");
  await page.getByLabel("l-diversity", { exact: true }).check();
  await page.locator("input[name='l-diversity.l']").fill("2");
  await page.getByLabel("Records that may be left out").fill("5");
  await page.getByRole("button", { name: "Save promises" }).click();
  await page.getByRole("button", { name: "Try each promise" }).click();
  await settle();
  hold(await page.locator("main").getByText("On this data, by itself:").first().isVisible(), "promises were tried");
  await look("5-promises");

  await page.getByRole("link", { name: "Next: explore" }).click();
  await page.getByRole("button", { name: "Make candidates" }).click();
  // Work goes on when the page is loaded again.
  await page.reload();
  hold(await page.locator("#tasks .task").first().isVisible(), "the work is shown after a reload");
  await settle();
  await page.locator("svg a[href='#k-20']").click();
  hold(page.url().endsWith("#k-20"), "a candidate can be chosen on the curve");
  await page.locator("input[name=a][value='2']").check();
  await page.locator("input[name=b][value='20']").check();
  await page.getByRole("button", { name: "Compare" }).click();
  hold(await page.getByRole("heading", { name: "Side by side" }).isVisible(), "two releases are compared");
  await page.getByRole("button", { name: "Use k = 10", exact: true }).click();
  await look("6-explore");

  await page.getByRole("button", { name: "Make the release" }).click();
  await settle();
  hold(await page.getByRole("heading", { name: "Input beside output" }).isVisible(), "the release was made");
  await page.getByRole("button", { name: "Attack the release" }).click();
  await settle();
  await look("7-result");

  await page.getByRole("link", { name: "Next: hand over" }).click();
  await page.getByRole("button", { name: "Verify the release" }).click();
  await settle();
  hold(await page.locator("main").getByText("All promises hold.").isVisible(), "the release was verified");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "The release, as an archive" }).click()]);
  hold(download.suggestedFilename() === "release.zip", "the archive has its name");
  const [whole] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Everything that makes it again" }).click()]);
  hold(whole.suggestedFilename() === "project.zip", "everything that makes it again has its name");
  await look("8-handover");

  await page.goto(`${project}/answers`);
  await page.getByRole("button", { name: "Open the account" }).click();
  await page.getByLabel("Question, in SQL").fill("select count(*) from data");
  await page.getByRole("button", { name: "What would it cost?" }).click();
  hold(await page.locator("main").getByText("Nothing was charged.").isVisible(), "a question is planned");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await settle();
  hold(await page.getByRole("heading", { name: "The last answer" }).isVisible(), "a question is answered");
  await look("9-answers");
  await page.goto(`${project}/job`);
  await look("10-job");

  // Data of another shape.
  const graph = join(scratch, "people.graphml");
  const edges = [...Array(40).keys()].flatMap((node) => [1, 2, 3 + (node % 5)].map((step) => `<edge source="p${node}" target="p${(node + step) % 40}"/>`));
  const nodes = [...Array(40).keys()].map((node) => `<node id="p${node}"/>`);
  writeFileSync(graph, `<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">${nodes.join("")}${edges.join("")}</graph></graphml>`);
  await page.goto(host);
  await page.setInputFiles("#file", graph);
  await page.getByRole("button", { name: "Look at it" }).click();
  await page.waitForURL("**/data");
  await page.getByRole("button", { name: "Make the release" }).click();
  await settle();
  hold(await page.locator("article.attack").first().isVisible(), "the attacks on a graph are shown");
  await look("11-graph");

  // Dark, and as narrow as a phone.
  await page.emulateMedia({ colorScheme: "dark" });
  await page.setViewportSize({ width: 375, height: 740 });
  for (const step of ["data", "roles", "hierarchies", "promises", "explore", "result", "handover", "answers", "job"]) {
    await page.goto(`${project}/${step}`);
    await look(`phone-dark-${step}`);
  }

  // The keyboard alone: past the top, into the steps.
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`${project}/roles`);
  await page.keyboard.press("Tab");
  hold(await page.evaluate("document.activeElement.textContent") === "Skip to the content", "the first stop skips the navigation");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  hold(await page.evaluate("document.querySelector('main').contains(document.activeElement)"), "it leads into the content");
  const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
  hold(outline !== "none", "the focus can be seen");

  // Without scripts every step still works.
  const bare = await browser.newContext({ javaScriptEnabled: false, storageState: await context.storageState() });
  const plain = await bare.newPage();
  await plain.goto(`${project}/promises`);
  await plain.locator("input[name='k-anonymity.k']").fill("4");
  await plain.getByRole("button", { name: "Save promises" }).click();
  hold((await plain.locator("aside pre").textContent()).includes("k-anonymity = 4"), "a step works without scripts");
} finally {
  await browser.close();
  server.kill("SIGINT");
  rmSync(scratch, { recursive: true, force: true });
}
console.log(`${pages} pages looked at, ${problems.length} problems`);
process.exit(problems.length ? 1 : 0);
