/** Whose account a command speaks of: one that is named, or the sender's. */
import { parseAddress } from "../../base/address.ts";
import { bytesToHex, type Hex } from "../../base/bytes.ts";
import { privateKeyToAddress } from "../../base/secp256k1.ts";
import type { StringOption } from "../command.ts";
import { readValue, usageError } from "../failure.ts";
import { senderKeyIfNamed } from "../transaction-sender.ts";

export const ofOption: StringOption = {
  ...{ type: "string", placeholder: "address", description: "the account; the sender's unless told" },
};

/** `path` is of the command, for its help. */
export async function namedAccount(
  options: { readonly of: string | undefined } & Parameters<typeof senderKeyIfNamed>[0],
  path: string,
): Promise<Hex> {
  if (options.of !== undefined) return bytesToHex(readValue("--of", options.of, path, parseAddress));
  const key = await senderKeyIfNamed(options, path);
  if (key !== undefined) return bytesToHex(privateKeyToAddress(key));
  throw usageError(
    "whose? give --of <address>, or --from <n>, --key <keystore> or --key-file <file>",
    `See: ${path} --help`,
  );
}
