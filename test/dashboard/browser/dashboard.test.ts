/** The dashboard in a real browser, over a running devnet: what people do, page by page. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { type Chain, createPublicClient, defineChain, http, type PublicClient, parseEther } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesToHex } from "../../../base/bytes.ts";
import { nBodyProgram } from "../../../compute/examples/n-body.ts";
import { decodeModel } from "../../../compute/onnx/decode-model.ts";
import { decodeImage } from "../../../compute/onnx/files/image.ts";
import { decodeNpy } from "../../../compute/onnx/files/npy.ts";
import { importFor } from "../../../compute/onnx/import-for.ts";
import { encodeProgram } from "../../../compute/program/codec.ts";
import { contentAddress } from "../../../compute/program/merkle.ts";
import { developmentOperatorKey } from "../../../genesis/development-validators.ts";
import { networkSpec } from "../../../genesis/networks.ts";
import { type OgpuActions, ogpuActions } from "../../../rpc/client/ogpu-actions.ts";
import { Running, startDevnet } from "../../cli/support/ogpu-process.ts";
import { TWICE_PTX } from "../kernel-samples.ts";
import { findChromium, openBrowser } from "./chromium.ts";
import { InjectedWallet } from "./injected-wallet.ts";
import { serious } from "./serious-faults.ts";

const PAGES = ["network", "explorer", "client", "provider", "validators", "governance", "monitoring"] as const;
const BUDGET = fileURLToPath(new URL("../../../scripts/dashboard-budget.mjs", import.meta.url));
const WALLET = "Test wallet";
/** What the sample's kernel doubles. */
const NUMBERS = Buffer.from(new Uint8Array(Uint32Array.from({ length: 256 }, (_, i) => i * 16_777_259).buffer));
/** For machines that do much else. */
const PATIENCE = { timeout: 90_000 };
/** Milliseconds until a slow node's answers come: later than the next block. */
const SLOW = 2_500;
/** Until a job is computed and checked. */
const LONG = { timeout: 180_000 };
const DIGITS = {
  model: fileURLToPath(new URL("../../../compute/examples/digits/digits.onnx", import.meta.url)),
  image: fileURLToPath(new URL("../../../compute/examples/digits/seven.png", import.meta.url)),
};

const executable = findChromium();
if (executable === undefined) {
  process.stderr.write(
    "NOTICE: no chromium on this machine: the dashboard is not tried in a browser (apt install chromium)\n",
  );
}

describe.runIf(executable !== undefined)("the dashboard in a browser", () => {
  const directory = mkdtempSync(join(tmpdir(), "ogpu-dashboard-"));
  const problems: string[] = [];
  let devnet: Running;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let page: Page;
  let wallet: InjectedWallet;
  let client: PublicClient & OgpuActions;

  beforeAll(async () => {
    devnet = await startDevnet(directory, "--providers", "1");
    const chain: Chain = defineChain({
      id: Number(networkSpec("devnet").chainId),
      name: "devnet",
      nativeCurrency: { name: "oGPU", symbol: "oGPU", decimals: 18 },
      rpcUrls: { default: { http: [devnet.url] } },
    });
    client = createPublicClient({ chain, transport: http(), pollingInterval: 50 }).extend(ogpuActions) as never;
    wallet = new InjectedWallet(bytesToHex(developmentOperatorKey(0)), chain);
    await client.request({ method: "ogpu_faucet", params: [wallet.address] } as never);
    browser = await openBrowser(executable ?? "");
    page = await browser.context.newPage();
    page.setDefaultTimeout(PATIENCE.timeout);
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
    await wallet.install(page, WALLET);
    await page.goto(devnet.url);
  });

  afterAll(async () => {
    await browser?.close();
    await Running.endAll(directory);
  });

  const open = async (path: string): Promise<void> => {
    await page.goto(`${devnet.url}/#/${path}`);
  };
  const heading = (name: string | RegExp) => page.getByRole("heading", { level: 1, name });
  /** Without the spaces between thousands, and without the note below it; both change while one looks. */
  const heightShown = async (): Promise<number> => {
    await page.locator(".stat", { hasText: "Height" }).locator("dd .note").waitFor();
    const text: string = await page.evaluate(`
      const stat = [...document.querySelectorAll(".stat")].find((one) => one.textContent.includes("Height"));
      const parts = [...stat.querySelector("dd").childNodes].filter((part) => part.className !== "note");
      parts.map((part) => part.textContent).join("");
    `);
    return Number.parseInt(text.replace(/\s/g, ""), 10);
  };
  const save = async (name: string): Promise<Buffer> => {
    const link = page.getByRole("link", { name });
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    return readFileSync(await download.path());
  };
  const said = (text: string | RegExp) => page.locator(".toast", { hasText: text });

  const connect = async (name: string | RegExp, on: Page = page): Promise<void> => {
    const button = on.locator(".top-right > button").last();
    if (!(await button.textContent())?.includes("Connect")) {
      await button.click();
      await on.getByRole("button", { name: "Disconnect" }).click();
    }
    await on.getByRole("button", { name: "Connect wallet" }).click();
    await on.getByRole("dialog").getByRole("button", { name }).click();
    await on.getByRole("dialog").waitFor({ state: "detached" });
  };

  /** Wide and narrow, light and dark: nothing is cut off, and axe finds no serious fault. */
  const expectSound = async (): Promise<void> => {
    await page.locator("h1").waitFor();
    await page.locator("[aria-busy]").first().waitFor({ state: "detached" });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 1280, height: 860 });
      expect(await serious(page)).toEqual([]);
      await page.setViewportSize({ width: 360, height: 740 });
      // Charts take their new size in a turn of their own.
      await expect.poll(() => page.evaluate("document.documentElement.scrollWidth"), PATIENCE).toBe(360);
      expect(await serious(page)).toEqual([]);
    }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1280, height: 860 });
  };

  it.each(PAGES)("shows %s, with no serious fault for screen readers and keyboards, wide and narrow", async (name) => {
    await open(name);
    await heading(new RegExp(name, "i")).waitFor();
    await expectSound();
  });

  it("follows the chain by itself", async () => {
    await open("network");
    const before = await heightShown();
    await client.request({ method: "ogpu_faucet", params: [wallet.address] } as never);
    await expect.poll(heightShown, PATIENCE).toBeGreaterThan(before);
  });

  it("finds a block, a transaction and an account by the search, and says when there is nothing", async () => {
    const { transactions, hash } = await client.getBlock({ blockNumber: 1n });
    const search = page.getByRole("searchbox");
    await search.fill("1");
    await search.press("Enter");
    await heading("Block 1").waitFor();
    await search.fill(hash);
    await search.press("Enter");
    await heading("Block 1").waitFor();
    const [transaction] = transactions;
    if (transaction !== undefined) {
      await search.fill(transaction);
      await search.press("Enter");
      await heading("Transaction").waitFor();
    }
    await search.fill("0x70997970C51812dc3A010C7d01b50e0d17dc79C8");
    await search.press("Enter");
    await heading("Test account 1").waitFor();
    await search.fill("validator 0");
    await search.press("Enter");
    await heading("Validator 0").waitFor();
    await search.fill("no such thing");
    await search.press("Enter");
    await page.getByText("The chain has nothing by “no such thing”.").waitFor();
  });

  it("verifies a block's certificate in the browser", async () => {
    await open("block/1");
    await page.getByText("Verified here: signed by 100% of stake").waitFor();
  });

  it("delegates from a test account, and says it in words", async () => {
    await connect(/^Test account 1/);
    await open("validators");
    await page.getByLabel("Amount").fill("12.5");
    await page.getByRole("button", { name: "Delegate", exact: true }).click();
    await said("Final in block").waitFor();
    await page.getByRole("cell", { name: "12.5", exact: false }).first().waitFor();
    await said("Final in block").getByRole("link").click();
    await page.getByText(/^Delegate /).waitFor();
    const [operator] = await client.readModule({ module: "staking", functionName: "validators", args: [0n, 1n] });
    const { amount } = await client.getDelegation({
      operator: operator ?? "0x",
      delegator: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    });
    expect(amount).toBe(parseEther("12.5"));
  });

  it("says in the module's own words what the chain would refuse, before anything is signed", async () => {
    await open("validators");
    await page.getByLabel("Amount").fill("5000");
    await page.getByRole("button", { name: "Unbond", exact: true }).click();
    await said("The chain would refuse this.").getByText("Not enough stake").waitFor();
    await page.getByRole("button", { name: "Dismiss" }).last().click();
  });

  it("tells clearly that the wallet's owner refused", async () => {
    await connect(WALLET);
    wallet.refuses = true;
    await open("validators");
    await page.getByLabel("Amount").fill("1");
    await page.getByRole("button", { name: "Delegate", exact: true }).click();
    await said("You declined the request in your wallet.").waitFor();
    expect(wallet.asked).toContain("eth_sendTransaction");
    await page.getByRole("button", { name: "Dismiss" }).last().click();
    wallet.refuses = false;
  });

  it("hears a node that answers later than the next block comes, and takes no click before it can act on it", async () => {
    const slow = await browser.context.newPage();
    slow.setDefaultTimeout(PATIENCE.timeout);
    await slow.routeWebSocket(/./, (socket) => {
      const server = socket.connectToServer();
      server.onMessage((message) => void setTimeout(() => socket.send(message), SLOW));
    });
    const blocks = setInterval(() => {
      void client.request({ method: "ogpu_faucet", params: [wallet.address] } as never).catch(() => undefined);
    }, 500);
    try {
      await slow.goto(`${devnet.url}/#/network`);
      // From here on blocks come to it.
      await slow.locator(".stat", { hasText: "Height" }).locator("dd .note").waitFor();
      await slow.goto(`${devnet.url}/#/governance`);
      await slow.getByText("Nobody has proposed anything yet.").waitFor();
      await connect(/^Test account 2/, slow);
      await slow.getByRole("tab", { name: "Propose", exact: true }).click();
      await slow.getByLabel("Title").fill("Too early");
      const propose = slow.getByRole("button", { name: "Propose", exact: true });
      // What it costs is not known yet.
      expect(await propose.isDisabled()).toBe(true);
      await slow.getByText("It costs a deposit of").waitFor();
      expect(await propose.isEnabled()).toBe(true);
    } finally {
      clearInterval(blocks);
      await slow.close();
    }
  });

  it("proposes from a test account, and votes with a validator's own wallet", async () => {
    await connect(/^Test account 2/);
    await open("governance");
    await page.getByRole("tab", { name: "Propose", exact: true }).click();
    await page.getByLabel("Title").fill("Thank the testers");
    await page.getByRole("button", { name: "Propose", exact: true }).click();
    await page.getByRole("link", { name: "1. Thank the testers" }).click();
    await heading("1. Thank the testers").waitFor();
    await connect(WALLET);
    await page.getByRole("button", { name: "Yes", exact: true }).click();
    await said("Vote yes on proposal 1").getByText("Final in block").waitFor();
    const [yes] = await client.getTally({ id: 1n });
    expect(yes).toBeGreaterThan(0n);
    await expect.poll(() => page.locator(".tally").first().textContent(), PATIENCE).toMatch(/^[1-9]/);
  });

  it("publishes a program, has a job of it auctioned, raises its budget and cancels it", async () => {
    const encoded = encodeProgram(nBodyProgram({ bodies: 64, steps: 6, dt: 0.01, softening: 0.1 }));
    await connect(/^Test account 3/);
    await open("client");
    await page.getByRole("tab", { name: "New job" }).click();
    await page.locator("input[type=file]").setInputFiles(fileOf("no.program", Buffer.from("no program")));
    await page.getByText("no.program is no program:").waitFor();
    await page.locator("input[type=file]").setInputFiles(fileOf("n-body.program", Buffer.from(encoded)));
    await page.getByRole("button", { name: "Auction it instead" }).click();
    await page.getByText("the chain itself can recompute any part of it").or(page.getByText("votes decide")).waitFor();
    expect(await page.getByLabel("Program", { exact: true }).inputValue()).toBe(bytesToHex(contentAddress(encoded)));
    await page.getByLabel("Budget", { exact: true }).fill("2");
    // Nobody gets it before it is cancelled.
    await page.getByLabel("Seconds for bids").fill("300");
    const inputs = page.getByLabel(/^Content address of input/);
    await inputs.first().waitFor();
    for (const field of await inputs.all()) await field.fill(`0x${"ab".repeat(32)}`);
    await page.getByRole("button", { name: /^Post for/ }).click();
    await said("Auction").getByText("Final in block").waitFor();
    await open("job/1");
    await heading("Job 1").waitFor();
    await page.getByLabel("Add to the budget").fill("1");
    await page.getByRole("button", { name: "Raise", exact: true }).click();
    await said("More budget").getByText("Final in block").waitFor();
    await page.getByRole("button", { name: "Cancel the job" }).click();
    await said("Cancellation").getByText("Final in block").waitFor();
    await page.locator(".badge", { hasText: "Cancelled" }).waitFor();
  });

  it("makes a program of a dropped kernel, and says which lines of another one cannot be verified", async () => {
    await connect(/^Test account 4/);
    await open("client");
    await page.getByRole("tab", { name: "New job" }).click();
    await page.locator("input[type=file]").setInputFiles(fileOf("twice.ptx", Buffer.from(TWICE_PTX)));
    await page.getByText("approximate cannot be verified.").waitFor();
    await page.getByText("sin.approx.f32 %f2, %f1;").waitFor();
    await page.getByLabel("Grid").fill("4");
    await page.getByLabel("Block", { exact: true }).fill("64");
    await page.getByLabel("Argument 0", { exact: true }).selectOption("input");
    await page.getByLabel("Bytes of argument 0").fill("1024");
    await page.getByLabel("Bytes of argument 1").fill("1000");
    const make = page.getByRole("button", { name: "Make the program of twice.ptx" });
    await make.click();
    await page.getByText(/stops with OUT_OF_/).waitFor();
    await page.getByLabel("Bytes of argument 1").fill("1024");
    await make.click();
    await page.getByRole("button", { name: /^Submit for/ }).waitFor();
    expect(await serious(page)).toEqual([]);
  });

  it("offers the kernel as a source, brings an input, has a task computed, checked and paid, and saves the output", async () => {
    // There is one provider: it need not wait for another.
    await page.getByLabel("Race").selectOption("1");
    await page.getByRole("button", { name: "Make a source of it" }).click();
    await page.getByLabel("Source", { exact: true }).waitFor();
    await page
      .getByLabel("Input 0")
      .first()
      .setInputFiles(fileOf("short.bin", NUMBERS.subarray(1)));
    await page.getByText("short.bin has 1023 bytes; input 0 has 1024.").waitFor();
    await page.getByLabel("Input 0").first().setInputFiles(fileOf("numbers.bin", NUMBERS));
    await page.getByText("numbers.bin is on the node").waitFor();
    await page.getByRole("button", { name: /^Submit for/ }).click();
    await heading(/^Job \d+$/).waitFor();
    await page.locator(".badge", { hasText: "Settled" }).waitFor(LONG);
    await page.getByText("3 seats").waitFor();
    await page.getByRole("button", { name: "Fetch and check" }).click();
    await page.getByText("Checked here").waitFor();
    await page.getByLabel("Elements").selectOption("u32");
    expect(await serious(page)).toEqual([]);
    const doubled = new Uint32Array(new Uint8Array(NUMBERS).buffer).map((number) => 2 * number);
    const saved = await save("Save 1 KiB");
    expect(new Uint32Array(new Uint8Array(saved).buffer)).toEqual(doubled);
    expect(JSON.parse((await save("Save as .json")).toString())).toEqual([...doubled]);
  });

  it("imports a model in the page, quotes it, submits it with an image, and shows the verified result", async () => {
    await connect(/^Test account 5/);
    await open("client");
    await page.getByRole("tab", { name: "New job" }).click();
    await page.locator("input[type=file]").setInputFiles(fileOf("broken.onnx", Buffer.from("no model")));
    await page.getByText(/broken.onnx: the file is no ONNX model/).waitFor();
    await page.locator("input[type=file]").setInputFiles(DIGITS.model);
    await page.getByLabel(/^Input /).setInputFiles(fileOf("seven.txt", Buffer.from("7")));
    await page.getByText("seven.txt has none of the endings").waitFor();
    await page.getByLabel(/^Input /).setInputFiles(DIGITS.image);
    const submit = page.getByRole("button", { name: /^Submit for/ });
    await submit.waitFor(LONG);
    // The page makes the program that the command line makes, to the last bit.
    await page.locator(`[title="${digitsProgram()}"]`).first().waitFor();
    const cost = await submit.textContent();
    await page.getByLabel("Race").selectOption("1");
    await page.getByLabel(/^Assurance/).fill("2");
    await page.getByText("Assurance: 2 verifiers check").waitFor();
    await expect.poll(() => submit.textContent(), PATIENCE).not.toBe(cost);
    expect(await serious(page)).toEqual([]);
    await submit.click();
    await heading(/^Job \d+$/).waitFor(LONG);
    await page.locator(".badge", { hasText: "Settled" }).waitFor(LONG);
    await page.getByText("2 seats").waitFor();
    await page.getByRole("button", { name: "Fetch and check" }).click();
    await page.getByText("Checked here").waitFor();
    const best = page.getByRole("table", { name: "Most likely classes" }).locator("tbody tr").first();
    await best.getByRole("cell", { name: "7", exact: true }).waitFor();
    expect(await serious(page)).toEqual([]);
    const { type, shape, bytes } = decodeNpy(await save("Save as .npy"));
    const shares = [...new Float32Array(new Uint8Array(bytes).buffer)];
    expect({ type, shape, best: shares.indexOf(Math.max(...shares)) }).toEqual({
      type: "f32",
      shape: [1, 10],
      best: 7,
    });
  });

  it("shows what the provider earned and how busy its device was", async () => {
    await open("provider");
    await page.getByRole("table", { name: "Providers" }).getByRole("link").first().click();
    await page.getByRole("img", { name: /^oGPU earned over time, last/ }).waitFor();
    // Blocks tell time in seconds: work that took less is none of them.
    await page.getByRole("img", { name: /^\d+% busy$/ }).waitFor();
    await page.getByText("passed").waitFor();
    await page.getByRole("link", { name: "Job 3" }).waitFor();
  });

  it("has no serious fault on the pages of single things either", async () => {
    const { worker } = await client.readModule({ module: "market", functionName: "jobOf", args: [3n] });
    const [operator] = await client.readModule({ module: "staking", functionName: "validators", args: [0n, 1n] });
    const { transactions } = await client.getBlock({ blockNumber: 1n });
    const pages = [
      ...["block/1", `transaction/${transactions[0]}`, `account/${worker}`, "job/1", "job/3"],
      ...[`provider/${worker}`, `validator/${operator}`, "proposal/1"],
    ];
    for (const path of pages) {
      await open(path);
      await expectSound();
    }
  });

  it("stays within its budget of bytes and requests", () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [BUDGET, devnet.url, "--json"], {
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ ok: true });
  });

  it("had no error in the console, and nothing that its policy refused", () => {
    expect(problems).toEqual([]);
  });

  it("says that the node went away, and goes on when it is back", async () => {
    await open("network");
    await heightShown();
    await devnet.stop("SIGTERM");
    await page.getByText("Connection lost, trying again.").waitFor();
    await page.getByText("Disconnected").waitFor();
    const { port } = new URL(devnet.url);
    devnet = await Running.start(
      "devnet",
      "--data-dir",
      directory,
      "--rpc-port",
      port,
      ...["--validators", "1", "--providers", "0"],
    );
    await page.getByText("Connection lost, trying again.").waitFor({ state: "detached" });
    const before = await heightShown();
    await client.request({ method: "ogpu_faucet", params: [wallet.address] } as never);
    await expect.poll(heightShown, PATIENCE).toBeGreaterThan(before);
  });
});

function digitsProgram(): string {
  const model = decodeModel(new Uint8Array(readFileSync(DIGITS.model)));
  const [input] = model.inputs;
  if (input === undefined) throw new Error("the model has an input");
  const options = { layout: undefined, scale: undefined, mean: [0], std: [1] };
  const tensor = decodeImage(new Uint8Array(readFileSync(DIGITS.image)), input, options);
  const { program } = importFor(model, new Map([[input.name, tensor]]), new Map());
  return bytesToHex(contentAddress(encodeProgram(program)));
}

function fileOf(name: string, buffer: Buffer): { name: string; mimeType: string; buffer: Buffer } {
  return { name, mimeType: "application/octet-stream", buffer };
}
