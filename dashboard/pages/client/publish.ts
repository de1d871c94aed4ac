/** Programs onto the chain, and the files that they need to the node. */
import { bytesToHex, type Hex, keccak256 } from "viem";
import { node } from "../../state/node.ts";
import { sendCall } from "../../wallet/send.ts";
import type { ContentFile } from "./content-file.ts";
import { bringBlob } from "./node-blobs.ts";

/** As the typed client has it: what a transaction stores costs gas by the byte. */
const PIECE_BYTES = 24_000;

function piecesOf(bytes: Uint8Array): readonly Hex[] {
  const count = Math.ceil(bytes.length / PIECE_BYTES);
  return Array.from({ length: count }, (_, index) =>
    bytesToHex(bytes.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES)),
  );
}

export function transactionsFor(bytes: Uint8Array): number {
  const count = Math.ceil(bytes.length / PIECE_BYTES);
  return count === 1 ? 1 : count + 1;
}

/** Whether it is on the chain now; what is there already is not sent again. */
export async function publish({ bytes, name, address }: ContentFile): Promise<boolean> {
  if (await node.readModule({ module: "programs", functionName: "isPublished", args: [address] })) return true;
  const pieces = piecesOf(bytes);
  const title = `Publication of ${name}`;
  if (pieces.length === 1) {
    return (await sendCall({ title, module: "programs", functionName: "publish", args: [pieces[0]] })) !== undefined;
  }
  for (const [index, piece] of pieces.entries()) {
    const isStored = await node.readModule({ module: "programs", functionName: "isStored", args: [keccak256(piece)] });
    const part = `Part ${index + 1} of ${pieces.length} of ${name}`;
    if (!isStored && !(await sendCall({ title: part, module: "programs", functionName: "storePiece", args: [piece] })))
      return false;
  }
  const args = [pieces.map((piece) => keccak256(piece))];
  return (await sendCall({ title, module: "programs", functionName: "publishPieces", args })) !== undefined;
}

/** Why not, for people; `undefined` when the node has them all. `onStep` is told how far it is. */
export async function bringAll(
  files: readonly ContentFile[],
  onStep: (words: string) => void,
): Promise<string | undefined> {
  for (const [index, file] of files.entries()) {
    const words = `Bringing file ${index + 1} of ${files.length} to the node`;
    onStep(words);
    const refusal = await bringBlob(file, (share) => onStep(`${words}: ${Math.floor(100 * share)}%`));
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
