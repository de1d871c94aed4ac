/**
 * What the loop finds out about a code: which bytes of it are JUMPDESTs and not data of a PUSH, one bit per byte, and
 * the long integers that it pushes. Kept by the hash of the code, made when first needed.
 */

const JUMPDEST = 0x5b;
const PUSH1 = 0x60;
const PUSH32 = 0x7f;

/**
 * More bits than a block can cycle through: each code in it has to be read cold for 2,600 gas first, and the largest
 * needs 3 KiB here.
 */
const MAX_BYTES: number = 64 * 2 ** 20;
/** What an entry, and an integer in it, take up beside their bits, about. */
const ENTRY_BYTES = 300;
const PUSH_BYTES = 100;

export function findJumpTargets(code: Uint8Array): Uint8Array {
  const bits = new Uint8Array((code.length + 7) >> 3);
  for (let i = 0; i < code.length; i++) {
    const opcode = code[i] as number;
    if (opcode === JUMPDEST) bits[i >> 3] = (bits[i >> 3] as number) | (1 << (i & 7));
    else if (opcode >= PUSH1 && opcode <= PUSH32) i += opcode - PUSH1 + 1;
  }
  return bits;
}

export class CodeAnalysis {
  private readonly cache: CodeCache | undefined;
  private readonly pushes = new Map<number, bigint>();
  private targets: Uint8Array | undefined;
  /** While it is in the cache. */
  bytes: number = ENTRY_BYTES;

  constructor(cache: CodeCache | undefined) {
    this.cache = cache;
  }

  jumpTargets(code: Uint8Array): Uint8Array {
    if (this.targets === undefined) {
      this.targets = findJumpTargets(code);
      this.cache?.grow(this, this.targets.length);
    }
    return this.targets;
  }

  /** The integer that the code has at `pc`. */
  push(pc: number): bigint | undefined {
    return this.pushes.get(pc);
  }

  keepPush(pc: number, value: bigint): void {
    this.pushes.set(pc, value);
    this.cache?.grow(this, PUSH_BYTES);
  }
}

/** Forgets the oldest first. */
export class CodeCache {
  private readonly entries = new Map<string, CodeAnalysis>();
  private bytes = 0;

  /** Code without a hash is run once, to create a contract: nobody else gets to see its analysis. */
  of(codeHash: string | undefined): CodeAnalysis {
    if (codeHash === undefined) return new CodeAnalysis(undefined);
    let analysis = this.entries.get(codeHash);
    if (analysis === undefined) {
      analysis = new CodeAnalysis(this);
      this.entries.set(codeHash, analysis);
      this.bytes += analysis.bytes;
    }
    return analysis;
  }

  grow(analysis: CodeAnalysis, bytes: number): void {
    analysis.bytes += bytes;
    this.bytes += bytes;
    if (this.bytes > MAX_BYTES) this.forget();
  }

  private forget(): void {
    for (const [codeHash, { bytes }] of this.entries) {
      if (this.bytes <= MAX_BYTES / 2) return;
      this.entries.delete(codeHash);
      this.bytes -= bytes;
    }
  }
}
