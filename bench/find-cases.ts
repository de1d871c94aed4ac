/** Finds the cases: every module in `bench/cases`, each named after the case it exports. */
import { readdir } from "node:fs/promises";
import type { BenchCase } from "./case.ts";

const FOLDER = new URL("./cases/", import.meta.url);

function isModule(file: string): boolean {
  return /\.[jt]s$/.test(file) && !file.endsWith(".d.ts");
}

/** In the order of their names. */
export async function caseNames(): Promise<readonly string[]> {
  return (await readdir(FOLDER))
    .filter(isModule)
    .map((file) => file.slice(0, -3))
    .sort();
}

export async function loadCase(name: string): Promise<BenchCase> {
  const file = (await readdir(FOLDER)).find((candidate) => isModule(candidate) && candidate.slice(0, -3) === name);
  if (file === undefined) throw new RangeError(`there is no benchmark case ${name}`);
  const module: { readonly benchCase?: BenchCase } = await import(new URL(file, FOLDER).href);
  if (module.benchCase?.name !== name) {
    throw new Error(`bench/cases/${name}.ts must export a benchCase whose name is ${name}`);
  }
  return module.benchCase;
}
