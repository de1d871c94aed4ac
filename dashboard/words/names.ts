/** Addresses that have a name here: the native modules, and on a development chain the test accounts. */
import { modules } from "../state/modules.ts";
import { capitalised, wordsOf } from "./sentence.ts";

const names = new Map<string, string>(
  modules.map(({ name, address }) => [address, `${capitalised(wordsOf(name))} module`]),
);

export function nameAddress(address: string, name: string): void {
  names.set(address.toLowerCase(), name);
}

export function nameOfAddress(address: string): string | undefined {
  return names.get(address.toLowerCase());
}
