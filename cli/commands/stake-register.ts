import { readFile } from "node:fs/promises";
import { parseAddress } from "../../base/address.ts";
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { CodedError } from "../../base/errors.ts";
import { privateKeyToAddress } from "../../base/secp256k1.ts";
import { formatOgpu, parseOgpu } from "../../base/units.ts";
import { type Command, defineCommand, type ExitCode } from "../command.ts";
import { readValue } from "../failure.ts";
import { rpcOption } from "../json-rpc-client.ts";
import { callModule } from "../modules/module-commands.ts";
import { senderKey, senderOptions } from "../transaction-sender.ts";

const PATH = "ogpu stake register";
/** Millionths in one per cent. */
const PER_CENT = 10_000;

const percentOption = (description: string, standard: string) =>
  ({ type: "string", placeholder: "%", description, default: standard }) as const;

export const stakeRegister: Command = defineCommand({
  name: "register",
  summary: "Make the sender the operator of a new validator",
  details:
    "The proof comes from `ogpu keys proof <name> --out <file>`. The validator signs from the epoch on in which it is among " +
    "those with most stake. Its node runs with: ogpu validator --key <keystore> --new-key",
  args: [{ name: "file", description: "the proof of the validator's key" }],
  options: {
    amount: { type: "string", placeholder: "oGPU", description: "its own stake", required: true },
    commission: percentOption("of its delegators' rewards, what it keeps", "5"),
    maxCommission: percentOption("never more than that", "20"),
    maxCommissionChange: percentOption("never more at a time", "1"),
    payout: { type: "string", placeholder: "address", description: "receives rewards; the sender unless told" },
    about: { type: "string", placeholder: "text", description: "a name or a web page", default: "" },
    ...senderOptions,
    rpc: rpcOption,
  },
  examples: [
    {
      command: "ogpu stake register alice.proof --amount 100 --about https://example.org --from 5",
      description: "on the devnet",
    },
  ],
  async run({ args, options }, context): Promise<ExitCode> {
    const { publicKey, proofOfPossession } = await readProof(args[0] as string);
    const value = readValue("--amount", options.amount, PATH, parseOgpu);
    const [commission, most, change] = [
      readValue("--commission", options.commission, PATH, millionths),
      readValue("--max-commission", options.maxCommission, PATH, millionths),
      readValue("--max-commission-change", options.maxCommissionChange, PATH, millionths),
    ];
    const key = await senderKey(options, PATH);
    const payout =
      options.payout === undefined
        ? bytesToHex(privateKeyToAddress(key))
        : bytesToHex(readValue("--payout", options.payout, PATH, parseAddress));
    return callModule(
      options.rpc,
      key,
      {
        ...{ module: "staking", functionName: "register", value },
        args: [publicKey, proofOfPossession, commission, most, change, payout, options.about],
        done: `registered with ${formatOgpu(value)} oGPU of its own; start its node with: ogpu validator`,
      },
      context,
    );
  },
});

interface Proof {
  readonly publicKey: Hex;
  readonly proofOfPossession: Hex;
}

/** Throws PROOF_INVALID. */
async function readProof(path: string): Promise<Proof> {
  const text = await readFile(path, "utf8");
  const isHex = (value: unknown, bytes: number): value is Hex =>
    typeof value === "string" && new RegExp(`^0x[0-9a-f]{${2 * bytes}}$`, "i").test(value);
  try {
    const { publicKey, proofOfPossession } = JSON.parse(text) as Record<string, unknown>;
    if (isHex(publicKey, 48) && isHex(proofOfPossession, 96)) return { publicKey, proofOfPossession };
  } catch {
    // Told below.
  }
  throw new CodedError("PROOF_INVALID", `${path} is no proof of a validator's key`, {
    hint: "Make one with: ogpu keys proof <name> --out <file>",
  });
}

/** "2.5" per cent to millionths. */
export function millionths(text: string): bigint {
  const value = /^\d{1,3}(\.\d{1,4})?$/.test(text) ? Math.round(Number(text) * PER_CENT) : Number.NaN;
  if (value >= 0 && value <= 100 * PER_CENT) return BigInt(value);
  throw new CodedError("BAD_PERCENTAGE", "write a number from 0 to 100, with at most four decimals");
}
