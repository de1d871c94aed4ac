/** Where set-up finds and leaves things. */
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A path inside the checkout. */
export function at(path) {
  return `${ROOT}${path}`;
}
