/** The name by which other nodes know the node with that key. */
import "./with-resolvers.ts";
import { generateKeyPairFromSeed } from "@libp2p/crypto/keys";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";

/** `nodeKey` is the seed of an ed25519 key, 32 bytes. */
export async function peerIdOf(nodeKey: Uint8Array): Promise<string> {
  return peerIdFromPrivateKey(await generateKeyPairFromSeed("Ed25519", nodeKey)).toString();
}
