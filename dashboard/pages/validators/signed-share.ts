interface Signed {
  readonly epoch: number;
  readonly signers: readonly number[];
}

/** Of the last blocks, which part has the validator's signature; `undefined` for one that does not sign. */
export function signedShare(index: number | undefined, blocks: readonly Signed[]): number | undefined {
  const epoch = blocks.at(-1)?.epoch;
  const counted = blocks.filter((block) => block.epoch === epoch && block.signers.length > 0);
  if (index === undefined || counted.length === 0) return undefined;
  return counted.filter(({ signers }) => signers.includes(index)).length / counted.length;
}
