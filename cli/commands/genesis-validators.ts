/** The validators of a new network, from what each of them has proved with `ogpu keys proof`. */
import { readFile } from "node:fs/promises";
import { parseAddress } from "../../base/address.ts";
import { BLS_PUBLIC_KEY_LENGTH, BLS_SIGNATURE_LENGTH, type Bls } from "../../base/bls-types.ts";
import { bytesToHex, type Hex, hexToBytes } from "../../base/bytes.ts";
import { CodedError, isCoded } from "../../base/errors.ts";
import { parseOgpu } from "../../base/units.ts";
import type { GenesisValidator } from "../../genesis/chain-spec.ts";
import { readValue } from "../failure.ts";

const PATH = "ogpu genesis create";

/** `choice` is file, or file=oGPU. Throws PROOF_INVALID. */
export async function validatorOf(choice: string, stake: bigint, bls: Bls): Promise<GenesisValidator> {
  const [file = "", amount] = splitAtLast(choice);
  const own = amount === undefined ? stake : readValue("--validator", choice, PATH, () => parseOgpu(amount));
  const text = await readFile(file, "utf8");
  const read = (name: string): unknown => fieldOf(text, file, name);
  const publicKey = hexOf(read("publicKey"), BLS_PUBLIC_KEY_LENGTH, file, "publicKey");
  const proofOfPossession = hexOf(read("proofOfPossession"), BLS_SIGNATURE_LENGTH, file, "proofOfPossession");
  const operator = operatorOf(read("operator"), file);
  if (!isProven(publicKey, proofOfPossession, bls)) throw invalid(file, "it does not prove that somebody has the key");
  return { publicKey, proofOfPossession, stake: own, operator };
}

/** A file's name may have such a sign, an amount has none. */
function splitAtLast(choice: string): [string, string?] {
  const at = choice.lastIndexOf("=");
  return at === -1 ? [choice] : [choice.slice(0, at), choice.slice(at + 1)];
}

function fieldOf(text: string, file: string, name: string): unknown {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === "object" && json !== null ? (json as Readonly<Record<string, unknown>>)[name] : undefined;
  } catch {
    throw invalid(file, "it is not JSON");
  }
}

function hexOf(value: unknown, length: number, file: string, name: string): Hex {
  const isRight = typeof value === "string" && new RegExp(`^0x[0-9a-fA-F]{${2 * length}}$`).test(value);
  if (isRight) return value.toLowerCase() as Hex;
  throw invalid(file, `${name} has to be ${length} bytes in hexadecimal`);
}

function operatorOf(value: unknown, file: string): Hex {
  if (typeof value !== "string") throw invalid(file, "it does not name the operator's account");
  try {
    return bytesToHex(parseAddress(value));
  } catch (error) {
    if (isCoded(error, "BAD_ADDRESS", "BAD_HEX")) throw invalid(file, `operator: ${error.message}`);
    throw error;
  }
}

function isProven(publicKey: Hex, proof: Hex, bls: Bls): boolean {
  try {
    return bls.verifyPossession(bls.publicKey(hexToBytes(publicKey)), hexToBytes(proof));
  } catch (error) {
    if (isCoded(error, "BAD_PUBLIC_KEY")) return false;
    throw error;
  }
}

function invalid(file: string, reason: string): CodedError {
  return new CodedError("PROOF_INVALID", `${file} is no validator's proof: ${reason}`, {
    file,
    hint: "Its owner makes one with: ogpu keys proof <name> --operator <address> --out <file>",
  });
}
