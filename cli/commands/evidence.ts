import { setTimeout as delay } from "node:timers/promises";
import { decodeEventLog, encodeFunctionData } from "viem/utils";
import { bytesToHex, type Hex, hexToBytes } from "../../base/bytes.ts";
import { CodedError, isCoded } from "../../base/errors.ts";
import { privateKeyToAddress } from "../../base/secp256k1.ts";
import { formatOgpu } from "../../base/units.ts";
import { EXECUTION_REVERTED } from "../../rpc/rpc-error.ts";
import { slashingAbi } from "../../vm/interfaces/abi/slashing.ts";
import { SLASHING_ADDRESS } from "../../vm/modules/addresses.ts";
import { type Command, type CommandContext, type CommandGroup, defineCommand, type ExitCode } from "../command.ts";
import { callRpc, rpcOption } from "../json-rpc-client.ts";
import { columns } from "../table.ts";
import { type Receipt, sendAction, senderKey, senderOptions, waitForReceipt } from "../transaction-sender.ts";

const SUBMIT_PATH = "ogpu evidence submit";
/** Between two looks at what the node has seen: evidence is good for days. */
const WATCH_MILLISECONDS = 5_000;

/** As `ogpu_getEvidence` gives it. */
interface Seen {
  readonly offence: string;
  readonly publicKey: Hex;
  readonly epoch: string | number;
  readonly view: string | number;
  readonly first: Hex;
  readonly second: Hex;
}

const list: Command = defineCommand({
  name: "list",
  summary: "List the offences of validators that a node has seen",
  details: "Each is a pair of votes with one validator's signatures that the rules exclude.",
  options: { rpc: rpcOption },
  async run({ options }, { report }): Promise<ExitCode> {
    const all = await seenBy(options.rpc);
    const rows = all.map(({ offence, epoch, view, publicKey }) => [
      offence,
      String(Number(epoch)),
      String(Number(view)),
      publicKey,
    ]);
    report(all, all.length === 0 ? "none" : columns(["offence", "epoch", "view", "validator"], rows));
    return 0;
  },
});

const submit: Command = defineCommand({
  name: "submit",
  summary: "Send the offences that a node has seen to the chain, which punishes them",
  details:
    "The sender gets a share of what the validator loses. A validator is punished once: one pair of votes of each is sent, and only what the chain would accept.",
  options: {
    ...senderOptions,
    watch: { type: "flag", description: "go on until stopped, and send what the node sees from now on" },
    rpc: rpcOption,
  },
  examples: [
    { command: "ogpu evidence submit --key-file my.key", description: "everything that the node has seen" },
    {
      command: "ogpu evidence submit --key keys/reporter.json --password-file reporter.pass --watch",
      description: "beside a validator, for as long as it runs",
    },
  ],
  async run({ options }, context): Promise<ExitCode> {
    const key = await senderKey(options, SUBMIT_PATH);
    const reporter = new Reporter(options.rpc, key, context);
    if (options.watch) {
      await watch(reporter, context);
      return 0;
    }
    const { sent, failed } = await reporter.sendAll();
    if (sent === 0) context.report({ sent }, "nothing to send");
    return failed > 0 ? 1 : 0;
  },
});

/** A node that does not answer now may do so later. */
async function watch(reporter: Reporter, { signal, progress }: CommandContext): Promise<void> {
  while (!signal.aborted) {
    try {
      await reporter.sendAll();
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      progress(error.message);
    }
    await delay(WATCH_MILLISECONDS, undefined, { signal }).catch(() => undefined);
  }
}

class Reporter {
  readonly #rpc: string;
  readonly #key: Uint8Array;
  readonly #context: CommandContext;
  /** What was sent or refused, by its votes: neither can become worth sending again. */
  #done: ReadonlySet<string> = new Set();

  constructor(rpc: string, key: Uint8Array, context: CommandContext) {
    this.#rpc = rpc;
    this.#key = key;
    this.#context = context;
  }

  /** One pair of votes of each validator. */
  async sendAll(): Promise<{ readonly sent: number; readonly failed: number }> {
    const all = await seenBy(this.#rpc);
    const done = new Set(all.map(votesOf).filter((votes) => this.#done.has(votes)));
    this.#done = done;
    const accused = new Set<Hex>();
    let failed = 0;
    for (const seen of all) {
      if (done.has(votesOf(seen)) || accused.has(seen.publicKey)) continue;
      if (await this.#isAccepted(seen)) {
        accused.add(seen.publicKey);
        failed += (await this.#send(seen)) ? 0 : 1;
      }
      done.add(votesOf(seen));
    }
    return { sent: accused.size, failed };
  }

  /** Asked before: evidence that comes too late, or second, would only cost its sender gas. */
  async #isAccepted(seen: Seen): Promise<boolean> {
    const from = bytesToHex(privateKeyToAddress(this.#key));
    try {
      await callRpc(this.#rpc, "eth_call", [{ from, to: SLASHING_ADDRESS, data: calldata(seen) }, "latest"]);
      return true;
    } catch (error) {
      // By the chain itself: a node has other reasons to refuse, which pass.
      if (!isCoded(error, "RPC_REFUSED") || error.data["rpcCode"] !== EXECUTION_REVERTED) throw error;
      const { offence, publicKey, epoch } = seen;
      this.#context.progress(`not accepted: ${offence} of ${publicKey} in epoch ${Number(epoch)}: ${error.message}`);
      return false;
    }
  }

  /** Whether it was accepted; somebody else's may have come first. */
  async #send(seen: Seen): Promise<boolean> {
    const action = { to: SLASHING_ADDRESS, value: 0n, data: hexToBytes(calldata(seen)) };
    const hash = await sendAction(this.#rpc, this.#key, action);
    this.#context.progress(`sent ${hash}, waiting for its block`);
    const receipt = await waitForReceipt(this.#rpc, hash);
    const { publicKey, offence } = seen;
    const reward = rewardIn(receipt);
    const status = receipt.status === "0x1" ? "succeeded" : "failed";
    const text = reward === undefined ? status : `${status}, reward ${formatOgpu(reward)} oGPU`;
    this.#context.report({ hash, status, offence, publicKey, reward }, `${hash}\n${offence} of ${publicKey}: ${text}`);
    return receipt.status === "0x1";
  }
}

function votesOf({ first, second }: Seen): string {
  return `${first} ${second}`;
}

async function seenBy(rpc: string): Promise<readonly Seen[]> {
  return await callRpc<readonly Seen[]>(rpc, "ogpu_getEvidence", []);
}

function calldata({ publicKey, first, second }: Seen): Hex {
  return encodeFunctionData({ abi: slashingAbi, functionName: "submitEvidence", args: [publicKey, first, second] });
}

function rewardIn({ logs }: Receipt): bigint | undefined {
  for (const { address, topics, data } of logs) {
    if (address.toLowerCase() !== SLASHING_ADDRESS) continue;
    const event = decodeEventLog({ abi: slashingAbi, topics: topics as [Hex, ...Hex[]], data });
    if (event.eventName === "Distributed") return event.args.reward;
  }
  return undefined;
}

export const evidence: CommandGroup = {
  name: "evidence",
  summary: "List and report offences of validators",
  commands: [list, submit],
};
