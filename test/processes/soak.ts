/** `npm run soak`: four validators under load and faults, drawn from a seed, for as long as wanted. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Prng } from "../../base/prng.ts";
import { soakRpc } from "../rpc/fuzz/soak-rpc.ts";
import { alarms, audit, conflicts, settledChains } from "./support/checks.ts";
import { cutInHalves, cutOneOff, goesOn, killAll, killOne, killTwoInTurn, stopAndStart } from "./support/faults.ts";
import { Load } from "./support/load.ts";
import { ProcessNetwork } from "./support/process-network.ts";

const HELP = `Runs four validators in processes of their own under transaction load, kills and stops them, cuts them from
each other, and checks again and again that nothing is lost and that all have the same chain.

  npm run soak -- --minutes 30

  --minutes N   how long (default 10)
  --seed text   who is hit, how and when; not how the machine behaves (default: the time)
  --pause N     milliseconds from an acknowledgement to a client's next transfer (default 60)
  --rpc         instead, fuzz the JSON-RPC of a devnet: requests, bodies, HTTP, WebSocket frames (--seed is a number)
  --help        this text

Exit code: 0 everything held, 1 something did not (the folder with the logs is named and kept), 2 called wrongly.`;

const FAULTS: readonly (readonly [string, (network: ProcessNetwork, random: Prng) => Promise<unknown>])[] = [
  ["kill one", killOne],
  ["kill two in turn", killTwoInTurn],
  ["kill all", killAll],
  ["cut in halves", cutInHalves],
  ["cut one off", cutOneOff],
  ["stop one", (network, random) => stopAndStart(network, [random.below(network.indices.length)], random)],
  ["stop all", (network, random) => stopAndStart(network, network.indices, random)],
];
const CLIENTS = 8;
const FAULTS_PER_CHECK = 5;

interface Arguments {
  readonly minutes: number;
  readonly seed: string;
  readonly pause: number;
  readonly rpc: boolean;
}

function print(line: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}

function readArguments(): Arguments | undefined {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: "10" },
      seed: { type: "string", default: new Date().toISOString() },
      pause: { type: "string", default: "60" },
      rpc: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const minutes = Number(values.minutes);
  const pause = Number(values.pause);
  if (values.help) return undefined;
  if (!(minutes > 0) || !(pause >= 0)) throw new TypeError("--minutes and --pause are numbers");
  return { minutes, seed: values.seed, pause, rpc: values.rpc };
}

async function soak({ minutes, seed }: Arguments, network: ProcessNetwork, load: Load): Promise<void> {
  const random = new Prng(seed);
  const end = Date.now() + minutes * 60_000;
  await network.startAll();
  load.start();
  await goesOn(network);
  for (let count = 1; Date.now() < end; count++) {
    const [name, run] = FAULTS[random.below(FAULTS.length)] ?? FAULTS[0] ?? ["", killOne];
    const start = Date.now();
    await run(network, random);
    print(`${name}: all there again after ${((Date.now() - start) / 1000).toFixed(1)} s`);
    if (count % FAULTS_PER_CHECK === 0) await check(network, load);
  }
  await check(network, load);
  await load.stop();
  await Promise.all(network.indices.map((index) => network.end(index, "SIGTERM")));
  for (const index of network.indices) {
    const { problems } = await audit(network, index);
    if (problems.length > 0) throw new Error(`the database of validator ${index}: ${JSON.stringify(problems)}`);
  }
}

async function check(network: ProcessNetwork, load: Load): Promise<void> {
  await load.stop();
  const [first, ...rest] = await settledChains(network, load);
  const differences = rest.flatMap((chain) => (first === undefined ? [] : conflicts(first, chain)));
  if (differences.length > 0) throw new Error(`final blocks differ at ${differences}`);
  if (load.refusals.length > 0) throw new Error(`clients were refused: ${load.refusals}`);
  const reported = alarms(network);
  if (reported.length > 0) throw new Error(`nodes report: ${JSON.stringify(reported)}`);
  print(`all have the same ${first?.height} blocks, with all ${load.acknowledged.size} acknowledged transactions`);
  load.start();
}

async function run(words: Arguments): Promise<number> {
  if (words.rpc) return await runRpc(words);
  const directory = await mkdtemp(join(tmpdir(), "ogpu-soak-"));
  const network = await ProcessNetwork.create(directory, 4);
  const load = new Load({
    ...{ chainId: network.spec.chainId, nodes: 4, clients: CLIENTS, pause: words.pause },
    url: (index) => network.url(index),
  });
  print(`seed ${words.seed}, in ${directory}`);
  try {
    await soak(words, network, load);
    await rm(directory, { recursive: true });
    print("everything held");
    return 0;
  } catch (error) {
    print(`FAILED: ${error instanceof Error ? error.message : String(error)}`);
    print(`the logs and databases are in ${directory}`);
    return 1;
  } finally {
    await load.stop();
    await network.close();
  }
}

async function runRpc({ minutes, seed }: Arguments): Promise<number> {
  try {
    await soakRpc({ minutes, seed: Number.isInteger(Number(seed)) ? Number(seed) : Date.now() % 2 ** 31, print });
    print("everything held");
    return 0;
  } catch (error) {
    print(`FAILED: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
}

try {
  const words = readArguments();
  if (words === undefined) process.stdout.write(`${HELP}\n`);
  process.exitCode = words === undefined ? 0 : await run(words);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
