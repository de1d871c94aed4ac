/** A contract on a running chain, sent from an account that the node holds the key of. */
import { setTimeout as delay } from "node:timers/promises";
import { encodeAbiParameters } from "viem";
import { bytesToHex, concatBytes, type Hex, hexToBytes } from "../../base/bytes.ts";
import { compileContracts } from "../contracts.ts";
import { rpc } from "../network/http-client.ts";

/** Creation code of an ERC-20 whose whole supply is the holder's. */
export async function tokenCode(holder: Hex): Promise<Uint8Array> {
  const code = (await compileContracts()).get("Erc20");
  if (code === undefined) throw new Error("there is no contract Erc20");
  const values = encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [holder, 10n ** 24n]);
  return concatBytes(code, hexToBytes(values));
}

export async function deploy(url: URL, from: Hex, code: Uint8Array): Promise<Hex> {
  const hash = await rpc<Hex>(url, "eth_sendTransaction", { from, data: bytesToHex(code), gas: "0x1e8480" });
  for (;;) {
    const receipt = await rpc<{ contractAddress: Hex } | null>(url, "eth_getTransactionReceipt", hash);
    if (receipt !== null) return receipt.contractAddress;
    await delay(20);
  }
}
