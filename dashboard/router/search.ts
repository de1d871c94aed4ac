/** What somebody may have meant by what they typed into the search: in the order in which it is looked up. */

export type SearchTerm =
  | { readonly kind: "number"; readonly number: bigint }
  | { readonly kind: "hash"; readonly hash: `0x${string}` }
  | { readonly kind: "address"; readonly address: `0x${string}` }
  | { readonly kind: "nothing" };

const HASH_DIGITS = 64;
const ADDRESS_DIGITS = 40;
/** Numbers of blocks and jobs have fewer digits. */
const MAX_NUMBER_DIGITS = 15;

export function readSearch(text: string): SearchTerm {
  const term = text
    .trim()
    .toLowerCase()
    .replace(/[\s,_]/g, "");
  const number = /^#?(\d+)$/.exec(term)?.[1];
  if (number !== undefined && number.length <= MAX_NUMBER_DIGITS) return { kind: "number", number: BigInt(number) };
  const digits = /^(?:0x)?([0-9a-f]+)$/.exec(term)?.[1] ?? "";
  if (digits.length === HASH_DIGITS) return { kind: "hash", hash: `0x${digits}` };
  if (digits.length === ADDRESS_DIGITS) return { kind: "address", address: `0x${digits}` };
  return { kind: "nothing" };
}
