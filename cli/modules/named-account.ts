/** Whose account a command speaks of: one that is named, or the sender's. */
import { parseAddress } from "../../base/address.ts";
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { privateKeyToAddress } from "../../base/secp256k1.ts";
import type { StringOption } from "../command.ts";
import { readValue } from "../failure.ts";
import { senderKey } from "../transaction-sender.ts";

export const ofOption: StringOption = {
  ...{ type: "string", placeholder: "address", description: "the account; the sender's unless told" },
};

/** `path` is of the command, for its help. Throws what `senderKey` does where no account is named. */
export async function namedAccount(
  options: { readonly of: string | undefined } & Parameters<typeof senderKey>[0],
  path: string,
): Promise<Hex> {
  if (options.of === undefined) return bytesToHex(privateKeyToAddress(await senderKey(options, path)));
  return bytesToHex(readValue("--of", options.of, path, parseAddress));
}
