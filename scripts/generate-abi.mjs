/**
 * Makes vm/interfaces/abi/<module>.ts from vm/interfaces/I<Module>.sol with solc. A test compiles again and compares, so
 * that interface, ABI and implementation stay one: run this after every change of an interface.
 *
 *     npm run abi
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import solc from "solc";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const INTERFACES = join(ROOT, "vm/interfaces");

/** `ITrustLock.sol` -> its ABI as solc gives it. */
export function compileInterface(file) {
  const input = {
    language: "Solidity",
    sources: { [file]: { content: readFileSync(join(INTERFACES, file), "utf8") } },
    settings: { outputSelection: { "*": { "*": ["abi"] } } },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const errors = (output.errors ?? []).filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join("\n"));
  return output.contracts[file][file.replace(".sol", "")].abi;
}

function writeAbi(file) {
  const name = file.slice(1, -".sol".length);
  const folder = name.replace(/(?<=[a-z])[A-Z]/g, "-$&").toLowerCase();
  const constant = `${name[0].toLowerCase()}${name.slice(1)}Abi`;
  const path = join(INTERFACES, "abi", `${folder}.ts`);
  const head = `/** Made by \`npm run abi\` from vm/interfaces/${file}: change that, not this. */`;
  writeFileSync(path, `${head}\nexport const ${constant} = ${JSON.stringify(compileInterface(file))} as const;\n`);
  return path;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const wanted = process.argv.slice(2);
  const files = readdirSync(INTERFACES)
    .filter((file) => file.endsWith(".sol"))
    .filter((file) => wanted.length === 0 || wanted.includes(file));
  const paths = files.map(writeAbi);
  const { status } = spawnSync("npx", ["biome", "format", "--write", ...paths], { cwd: ROOT, stdio: "inherit" });
  process.exitCode = status ?? 1;
}
