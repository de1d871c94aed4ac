/** Real BLS keys for the simulator. */
import { bls } from "../../base/bls.ts";
import { utf8 } from "../../base/bytes.ts";
import { sha256 } from "../../base/sha256.ts";
import { blsCrypto, blsSigner } from "../../chain/consensus/bls-crypto.ts";
import type { KeyMaker } from "./sim-crypto.ts";

export function blsKeys(): KeyMaker {
  return {
    crypto: blsCrypto(bls),
    signer: (name) => blsSigner(bls, bls.privateKeyFromSeed(sha256(utf8(`key of ${name}`)))),
  };
}
