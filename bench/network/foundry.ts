/** Where npm has put one of Foundry's programs. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The program itself: the script around it survives a signal that ends it, and ends with 0 when it fails. */
export function foundryProgram(tool: "anvil" | "cast" | "forge"): string {
  const platform = `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
  const description = createRequire(import.meta.url).resolve(`@foundry-rs/${tool}-${platform}/package.json`);
  return join(dirname(description), "bin", process.platform === "win32" ? `${tool}.exe` : tool);
}
