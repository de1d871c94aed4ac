/**
 * Who is a validator. A node that is one proves it in its hello: the validator's key signs the id of the node, which
 * the connection has shown to be its own. So nobody can take a validator's place, or have its votes sent to him, by
 * saying that he is one; and a proof that was overheard is of no use to another node.
 */
import { type Hex, hexToBytes, utf8 } from "../../base/bytes.ts";
import { taggedMessage } from "../../base/domain.ts";
import type { Crypto, Signer } from "../consensus/crypto.ts";
import type { Hello, RoleProof } from "../wire/node-message.ts";

export interface Identity {
  readonly chainId: bigint;
  readonly genesis: Hex;
}

export interface RoleHost extends Identity {
  readonly crypto: Pick<Crypto, "verify">;
  /** Whether the key is a validator's in the current epoch. */
  isValidator(key: Hex): boolean;
  /** The peer's proof is false. */
  onFalse(peer: string): void;
}

function roleMessage({ chainId, genesis }: Identity, peer: string): Uint8Array {
  return taggedMessage("HELLO", chainId, hexToBytes(genesis), utf8(peer));
}

export function proveRole(signer: Signer, identity: Identity, peer: string): RoleProof {
  return { key: signer.id, signature: signer.sign(roleMessage(identity, peer)) };
}

/** Checks each proof once, and only when it matters: when its key is a validator's. */
export class RoleProofs {
  readonly #host: RoleHost;
  readonly #checked = new WeakMap<Hello, boolean>();

  constructor(host: RoleHost) {
    this.#host = host;
  }

  /** The key of the validator that the peer is, now: sets change from epoch to epoch. */
  validatorOf(peer: string, hello: Hello | undefined): Hex | undefined {
    const proof = hello?.proof;
    if (hello === undefined || proof === undefined || !this.#host.isValidator(proof.key)) return undefined;
    let isTrue = this.#checked.get(hello);
    if (isTrue === undefined) {
      isTrue = this.#host.crypto.verify(proof.key, roleMessage(this.#host, peer), proof.signature);
      this.#checked.set(hello, isTrue);
      if (!isTrue) this.#host.onFalse(peer);
    }
    return isTrue ? proof.key : undefined;
  }
}
