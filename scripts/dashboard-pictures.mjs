/**
 * Takes the pictures of docs/images: starts a devnet with providers, has people use it, and looks at every page.
 *
 *   node scripts/dashboard-pictures.mjs [folder]
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { at } from "./setup/paths.mjs";

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
const WIDE = { width: 1200, height: 800 };
const NARROW = { width: 360, height: 720 };
const OGPU = at("dist/cli/main.js");
const DIGITS = at("compute/examples/digits/digits.onnx");
const SEVEN = at("compute/examples/digits/seven.png");

/** Who looks, at what, and how. `prepare` brings the page where it is interesting. */
const PICTURES = [
  { name: "network", path: "network", colorScheme: "dark" },
  { name: "explorer", path: "explorer" },
  { name: "block", path: "block/2" },
  { name: "transaction", path: ({ transaction }) => `transaction/${transaction}` },
  { name: "client", path: "client" },
  { name: "new-job", path: "client", isWhole: true, prepare: newJob },
  { name: "job", path: ({ job }) => `job/${job}`, isWhole: true, prepare: openOutput },
  { name: "provider", path: ({ provider }) => `provider/${provider}`, isWhole: true },
  { name: "auctions", path: "provider" },
  { name: "validators", path: "validators" },
  { name: "governance", path: "governance" },
  { name: "proposal", path: "proposal/1" },
  { name: "monitoring", path: "monitoring" },
  { name: "network-narrow", path: "network", viewport: NARROW, colorScheme: "dark" },
  { name: "job-narrow", path: ({ job }) => `job/${job}`, viewport: NARROW },
  { name: "validators-narrow", path: "validators", viewport: NARROW },
];

async function newJob(page) {
  await page.getByRole("tab", { name: "New job" }).click();
  await page.locator("input[type=file]").setInputFiles(DIGITS);
  await page.getByLabel(/^Input /).setInputFiles(SEVEN);
  await page.getByRole("button", { name: /^Submit for/ }).waitFor({ timeout: 120_000 });
}

async function openOutput(page) {
  await page.getByRole("button", { name: "Fetch and check" }).click();
  await page.getByText("Checked here").waitFor();
}

async function startDevnet(folder) {
  const args = ["devnet", "--data-dir", folder, "--rpc-port", "0", "--validators", "4", "--providers", "2"];
  const child = spawn(process.execPath, [OGPU, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    const url = /^READY (\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    return { url, child };
  }
  throw new Error("the devnet ended before it was ready");
}

async function ogpu(url, ...args) {
  const { stdout } = await promisify(execFile)(process.execPath, [OGPU, ...args, "--rpc", url, "--json"]);
  return stdout;
}

/** Jobs of both kinds, some running; what it answers is shown on pages of its own. */
async function haveItUsed(url) {
  const heat = ["--example", "heat-equation", "--example-size", "64", "--budget", "1"];
  const task = ["job", "submit", DIGITS, "--input", SEVEN];
  await ogpu(url, ...task, "--from", "0");
  await Promise.all(["0", "3", "4"].map((from) => ogpu(url, ...task, "--from", from)));
  await ogpu(url, "job", "submit", "--from", "0", ...heat, "--example-steps", "40", "--segments", "2");
  await ogpu(url, ...task, "--from", "0");
  // One that takes bids while the pictures are taken.
  await ogpu(
    url,
    "job",
    "submit",
    "--from",
    "0",
    ...heat,
    "--example-steps",
    "20",
    "--bid-seconds",
    "900",
    "--job-seconds",
    "1800",
    "--detach",
  );
}

async function call(url, method, ...params) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  return (await response.json()).result;
}

/** The last task, who did it, and the transaction that submitted it. */
async function findPlaces(url) {
  const jobs = JSON.parse(await ogpu(url, "job", "list"));
  const list = Array.isArray(jobs) ? jobs : jobs.jobs;
  const done = list.find(({ status, source }) => Number(status) === 6 && Number(source) > 0);
  const { client, worker, id } = done;
  const head = Number(await call(url, "eth_blockNumber"));
  for (let number = head; number > 0; number--) {
    const { transactions } = await call(url, "eth_getBlockByNumber", `0x${number.toString(16)}`, true);
    const found = transactions.find(({ from, input }) => from === client.toLowerCase() && input.length > 200);
    if (found !== undefined) return { job: id, provider: worker, transaction: found.hash };
  }
  return { job: id, provider: worker, transaction: "" };
}

/** What has no command: through the page itself. */
async function usePage(page, url) {
  await page.goto(`${url}/#/validators`);
  await page.getByLabel("Amount").fill("1250.5");
  await page.getByRole("button", { name: "Delegate", exact: true }).click();
  await page.locator(".toast", { hasText: "Final in block" }).waitFor();
  await page.goto(`${url}/#/governance`);
  await page.getByRole("tab", { name: "Propose", exact: true }).click();
  await page.getByLabel("Title").fill("A prize for the first verified climate model");
  await page.getByRole("button", { name: "Propose", exact: true }).click();
  await page.getByRole("link", { name: /^1\. / }).waitFor();
}

async function takePicture(page, url, folder, places, picture) {
  const { name, path, viewport = WIDE, colorScheme = "light", isWhole = false, prepare } = picture;
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme });
  await page.goto(`${url}/#/${typeof path === "string" ? path : path(places)}`);
  await page.locator("h1").waitFor();
  await page.locator("[aria-busy]").first().waitFor({ state: "detached" });
  await prepare?.(page);
  for (const button of await page.getByRole("button", { name: "Dismiss" }).all()) await button.click();
  // Charts are drawn in the colours that the page has when they come.
  await page.evaluate(() => dispatchEvent(new Event("ogpu-theme")));
  if (isWhole) {
    // As tall as the page, so that what sticks to the window's edges is where it belongs.
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ ...viewport, height });
  }
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(folder, `dashboard-${name}.png`) });
}

const [folder = at("docs/images")] = process.argv.slice(2);
const executablePath = BROWSERS.find((path) => existsSync(path));
if (executablePath === undefined) {
  console.error("there is no browser: apt install chromium");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const temporary = mkdtempSync(join(tmpdir(), "ogpu-pictures-"));
const { url, child } = await startDevnet(join(temporary, "devnet"));
try {
  const context = await chromium.launchPersistentContext(join(temporary, "profile"), {
    ...{ executablePath, args: FLAGS, viewport: WIDE },
  });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole("button", { name: "Connect wallet" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Test account 0" }).click();
  await usePage(page, url);
  await haveItUsed(url);
  const places = await findPlaces(url);
  for (const picture of PICTURES) {
    console.log(`dashboard-${picture.name}.png`);
    await takePicture(page, url, folder, places, picture);
  }
  await context.close();
} finally {
  child.kill("SIGTERM");
  await once(child, "close");
  rmSync(temporary, { recursive: true, force: true });
}
