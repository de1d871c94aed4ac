/** From the JSON of the node's lists, where quantities are hexadecimal. */

export type Quantity = `0x${string}`;

type FromJson<Value> = Value extends Quantity ? bigint : Value;

/** The named members as bigints; all others stay. */
export function readQuantities<Json extends object, Name extends keyof Json>(
  json: Json,
  names: readonly Name[],
): Omit<Json, Name> & { readonly [Key in Name]: FromJson<Json[Key]> } {
  const read = Object.fromEntries(names.map((name) => [name, BigInt(json[name] as Quantity)]));
  return { ...json, ...read } as never;
}
