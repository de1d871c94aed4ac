/**
 * Holds the dashboard to its budget: what it weighs, how much a first visit fetches, and when something shows.
 *
 *   node scripts/dashboard-budget.mjs <url> [--json] [--strict]     strict: the time counts too, not only bytes and requests
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { chromium } from "playwright-core";
import { at } from "./setup/paths.mjs";

const BUDGET = {
  /** Everything, gzipped, but for what is fetched when somebody drops a kernel or a model. */
  bundleBytes: 200_000,
  /** Either: the PTX checker with its interpreter, the quote, and results as tensors. */
  jobBytes: 45_000,
  /** A model: the importer with the PTX of its operators. */
  modelBytes: 280_000,
  /** Of a first visit to the first page, as they came over the wire. */
  fetchedBytes: 130_000,
  requests: 20,
  /** On loopback, on an idle machine. */
  firstPaintMilliseconds: 1_000,
};

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];

function weights() {
  const folders = ["build/dashboard", "build/dashboard/assets"].map(at);
  const files = folders
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((path) => path.endsWith(".gz"));
  const sum = (paths) => paths.reduce((total, path) => total + statSync(path).size, 0);
  const part = (name) => sum(files.filter((path) => basename(path).startsWith(name)));
  const jobBytes = ["kernel-form-", "submit-form-", "tiles-", "tensor-output-"].map(part).reduce((a, b) => a + b);
  const modelBytes = part("model-");
  return { bundleBytes: sum(files) - jobBytes - modelBytes, jobBytes, modelBytes };
}

async function visit(url, executablePath) {
  const profile = mkdtempSync(join(tmpdir(), "ogpu-budget-"));
  const context = await chromium.launchPersistentContext(profile, { executablePath, args: FLAGS });
  try {
    const page = await context.newPage();
    await page.goto(url, { waitUntil: "networkidle" });
    await page.locator(".chart canvas").first().waitFor();
    return await page.evaluate(() => {
      const entries = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
      const [paint] = performance.getEntriesByName("first-contentful-paint");
      return {
        requests: entries.length,
        fetchedBytes: entries.reduce((sum, { transferSize }) => sum + transferSize, 0),
        firstPaintMilliseconds: Math.round(paint?.startTime ?? 0),
      };
    });
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

const [url, ...flags] = process.argv.slice(2);
const browser = BROWSERS.find((path) => existsSync(path));
if (url === undefined || browser === undefined) {
  console.error(
    url === undefined
      ? "node scripts/dashboard-budget.mjs <url> [--json] [--strict]"
      : "there is no browser: apt install chromium",
  );
  process.exit(2);
}
const measured = { ...weights(), ...(await visit(url, browser)) };
const isCounted = (name) => name !== "firstPaintMilliseconds" || flags.includes("--strict");
const over = Object.keys(BUDGET).filter((name) => isCounted(name) && measured[name] > BUDGET[name]);
if (flags.includes("--json")) console.log(JSON.stringify({ ok: over.length === 0, measured, budget: BUDGET }));
else for (const name of Object.keys(BUDGET)) console.log(`${name}: ${measured[name]} of ${BUDGET[name]}`);
if (over.length > 0) console.error(`over budget: ${over.join(", ")}`);
process.exitCode = over.length === 0 ? 0 : 1;
