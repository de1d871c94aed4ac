/** Evidence from a node's folder to the chain: a validator in a process of its own, and the commands beside it. */
import { mkdtempSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bls } from "../../base/bls.ts";
import { bytesToHex, utf8 } from "../../base/bytes.ts";
import { keccak256 } from "../../base/keccak.ts";
import { OGPU } from "../../base/units.ts";
import { encodeSignedVote, voteMessage } from "../../base/votes.ts";
import { COMMANDS } from "../../cli/commands.ts";
import { readConfig } from "../../cli/config.ts";
import { runCommandLine } from "../../cli/run.ts";
import { developmentValidatorKey, devnetSpec } from "../../genesis/development-validators.ts";
import { chainSpecJson } from "../../genesis/write-chain-spec.ts";
import { Running } from "./support/ogpu-process.ts";

const base = devnetSpec(1, bls);
const spec = { ...base, genesisTime: BigInt(Math.floor(Date.now() / 1000) - 60) };
const root = mkdtempSync(join(tmpdir(), "ogpu-evidence-"));
const keys = [0, 1].map((index) => developmentValidatorKey(index, bls)) as [Uint8Array, Uint8Array];
const [offender, stranger] = keys.map((key) => bytesToHex(bls.publicKeyOf(key).bytes));
let node: Running;

/** A line of the file: two votes for different blocks. */
function line(key: Uint8Array, view: number): string {
  const [first, second] = ["a", "b"].map((block) => {
    const vote = { kind: "NOTARIZE", epoch: 0, view, hash: bytesToHex(keccak256(utf8(block))) } as const;
    return bytesToHex(encodeSignedVote({ ...vote, signature: bls.sign(key, voteMessage(spec.chainId, vote)) }));
  });
  return JSON.stringify({ publicKey: bytesToHex(bls.publicKeyOf(key).bytes), first, second });
}

beforeAll(async () => {
  const data = join(root, "data");
  await mkdir(data);
  await writeFile(join(root, "spec.json"), JSON.stringify(chainSpecJson(spec)));
  // The one of somebody who is no validator comes first: it must not keep the others from being sent.
  const lines = [line(keys[1], 1), line(keys[0], 7), line(keys[0], 8)];
  await writeFile(join(data, "evidence.jsonl"), `${lines.join("\n")}\n`);
  const options = ["--dev-key", "0", "--new-key", "--data-dir", data, "--rpc-port", "0", "--p2p-port", "0"];
  node = await Running.start("validator", "--spec", join(root, "spec.json"), ...options);
});

afterAll(async () => {
  await Running.endAll(root);
});

/** In this process. `onLine` gets what it prints. */
async function evidence(
  words: readonly string[],
  onLine: (text: string) => void = () => undefined,
  signal: AbortSignal = new AbortController().signal,
): Promise<{ readonly code: number; readonly lines: readonly unknown[] }> {
  const lines: unknown[] = [];
  const out = (text: string): void => {
    lines.push(JSON.parse(text));
    onLine(text);
  };
  const err = (text: string): void => onLine(text);
  const all = ["evidence", ...words, "--rpc", node.url, "--json"];
  const code = await runCommandLine(all, COMMANDS, readConfig({}), { out, err, signal });
  return { code, lines };
}

it("lists what the node has seen", async () => {
  const { code, lines } = await evidence(["list"]);
  expect(code).toBe(0);
  expect(lines[0]).toMatchObject([
    { offence: "double-notarize", publicKey: stranger, epoch: 0, view: 1 },
    { offence: "double-notarize", publicKey: offender, epoch: 0, view: 7 },
    { offence: "double-notarize", publicKey: offender, epoch: 0, view: 8 },
  ]);
});

it("wants to know who sends", async () => {
  expect((await evidence(["submit"])).code).toBe(2);
});

it("watches: sends one pair of votes of each validator, only what the chain accepts, and ends when told", async () => {
  const stop = new AbortController();
  const { code, lines } = await evidence(["submit", "--from", "3", "--watch"], () => stop.abort(), stop.signal);
  expect(code).toBe(0);
  // 5% of the devnet's stake, and 5% of that for whoever reports.
  const reward = String((100n * OGPU) / 400n);
  expect(lines).toMatchObject([{ status: "succeeded", offence: "double-notarize", publicKey: offender, reward }]);
});

it("sends nothing when everything was sent", async () => {
  expect(await evidence(["submit", "--from", "4"])).toEqual({ code: 0, lines: [{ sent: 0 }] });
});
