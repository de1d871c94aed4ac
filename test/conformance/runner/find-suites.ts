/** Finds the suites: every module beside `main` that exports `suite`. */
import { readdir } from "node:fs/promises";
import type { Suite } from "../suite.ts";

const FOLDER = new URL("../", import.meta.url);

/** In the order of their names. Modules without `suite` are helpers and are passed over. */
export async function findSuites(): Promise<readonly Suite[]> {
  const files = (await readdir(FOLDER)).filter(
    (file) => /\.[jt]s$/.test(file) && !/(?:\.d|\.test|^main)\.[jt]s$/.test(file),
  );
  const modules = await Promise.all(files.sort().map((file) => import(new URL(file, FOLDER).href)));
  return modules.flatMap((module: { readonly suite?: Suite }) => (module.suite === undefined ? [] : [module.suite]));
}
