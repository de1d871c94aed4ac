/** Sentences about what happened on the chain: text with values in it, which the page shows as links, amounts and times. */

export type Part =
  | string
  | { readonly kind: "address"; readonly address: string }
  | { readonly kind: "amount"; readonly wei: bigint }
  | { readonly kind: "share"; readonly millionths: bigint }
  /** Seconds since 1970, of protocol time. */
  | { readonly kind: "time"; readonly seconds: bigint }
  | { readonly kind: "proposal"; readonly id: bigint }
  | { readonly kind: "job"; readonly id: bigint }
  | { readonly kind: "code"; readonly text: string };

export type Sentence = readonly Part[];

/** What a value is, by its name and its type in the ABI. */
export interface Described {
  readonly name: string;
  readonly type: string;
  readonly value: unknown;
}

const AMOUNTS =
  /^(?:value|amount|amounts|deposit|stake|reward|minted|emission|burned|toTreasury|toVictim|fromLock|fromCollateral|bonded|unbonding|rest|returned|yes|no|abstain|veto|total|weight|free|left|wanted|asked|available|least|most|required|sent|minimum|earned|price|budget|fee|paid|escrow|bond|refund|tip|collateral|lock)$/;
const AMOUNT_ENDINGS = /(?:Amount|Price|Fee|Budget|Stake|Bond|Paid|Reward|Refund|Lock|Escrow|Burned)$/;
const SHARES = /(?:Share|^share|^commission|[a-z]Commission(?:Change)?)$/;
const TIMES =
  /^(?:due|dueAt|until|deadline|votingEnds|jailedUntil|time|possibleAt|nextDue|since|expires)$|(?:Deadline|Ends|Until|Due)$/;

export function partOf(module: string, { name, type, value }: Described): Part {
  if (type === "address") return { kind: "address", address: String(value) };
  if (type === "string") return `“${String(value)}”`;
  if (type === "bool") return value === true ? "yes" : "no";
  if (/^bytes/.test(type)) return { kind: "code", text: String(value) };
  if (/^u?int\d*$/.test(type)) return numberPart(module, name, BigInt(value as bigint));
  if (Array.isArray(value)) return listText(value);
  return typeof value === "object" && value !== null ? structText(value) : String(value);
}

function numberPart(module: string, name: string, value: bigint): Part {
  if (name === "id" && module === "governance") return { kind: "proposal", id: value };
  if (name === "job" || name === "jobId" || (name === "id" && module === "market")) return { kind: "job", id: value };
  if (SHARES.test(name)) return { kind: "share", millionths: value };
  if (TIMES.test(name)) return { kind: "time", seconds: value };
  if (AMOUNTS.test(name) || AMOUNT_ENDINGS.test(name)) return { kind: "amount", wei: value };
  return String(value);
}

const MAX_LISTED = 5;

function listText(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_LISTED).map((value) => (typeof value === "object" ? "…" : String(value)));
  return `${shown.join(", ")}${values.length > MAX_LISTED ? ` and ${values.length - MAX_LISTED} more` : ""}` || "none";
}

function structText(value: object): string {
  return `(${Object.entries(value)
    .slice(0, MAX_LISTED)
    .map(([name, part]) => `${wordsOf(name)} ${typeof part === "object" ? "…" : String(part)}`)
    .join(", ")})`;
}

/** `requestWithdrawal` to `request withdrawal`. */
export function wordsOf(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `Delegate {value} to validator {operator}`, with the values in their places. An unknown name stays as it is. */
export function fill(module: string, template: string, values: readonly Described[]): Sentence {
  return template.split(/(\{\w+\})/).flatMap((piece): readonly Part[] => {
    const name = /^\{(\w+)\}$/.exec(piece)?.[1];
    if (name === undefined) return piece === "" ? [] : [piece];
    const found = values.find((value) => value.name === name);
    return [found === undefined ? piece : partOf(module, found)];
  });
}

/** Where nobody has written a sentence: the name as words, and every value with its own name. */
export function spelledOut(module: string, name: string, values: readonly Described[]): Sentence {
  const parts = values.flatMap((value, index): readonly Part[] => {
    const label = value.name === "" ? "" : `${wordsOf(value.name)} `;
    return [index === 0 ? `: ${label}` : `, ${label}`, partOf(module, value)];
  });
  return [capitalised(wordsOf(name)), ...parts];
}

/** Without links: for titles and tests. */
export function plainText(sentence: Sentence): string {
  return sentence.map(textOfPart).join("");
}

function textOfPart(part: Part): string {
  if (typeof part === "string") return part;
  switch (part.kind) {
    case "address":
      return part.address;
    case "amount":
      return `${part.wei} wei`;
    case "share":
      return `${Number(part.millionths) / 10_000}%`;
    case "time":
      return `time ${part.seconds}`;
    case "proposal":
      return `proposal ${part.id}`;
    case "job":
      return `job ${part.id}`;
    case "code":
      return part.text;
  }
}
