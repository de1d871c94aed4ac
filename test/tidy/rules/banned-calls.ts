import { layerOf } from "../layers.ts";
import { type Finding, lineOf, type SourceFile, type SourceTree } from "../source-tree.ts";

interface Ban {
  readonly pattern: RegExp;
  readonly message: string;
  /** The global that is meant: a file that has something of its own by that name may use it. */
  readonly global?: string;
}

/**
 * What pure folders must not touch. The linter bans the same globals and knows their bindings exactly; this also
 * sees what it cannot: members (Math.random), globalThis, and functions whose answer depends on the machine's locale.
 */
const IMPURE: readonly Ban[] = [
  { pattern: /(?<![.\w$])(?:new\s+Date\b|Date\s*[.(])/g, message: "reads the clock: let time come in as data" },
  {
    pattern: /(?<![.\w$])performance\s*\./g,
    message: "reads the clock: let time come in as data",
    global: "performance",
  },
  {
    pattern: /(?<![.\w$])(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/g,
    message: "starts a timer: let the caller drive time",
  },
  { pattern: /\bMath\s*\.\s*random\b/g, message: "is random: use the seeded generator of base" },
  {
    pattern: /(?<![.\w$])crypto\s*\./g,
    message: "uses the platform's crypto: use the hashes and signatures of base",
    global: "crypto",
  },
  {
    pattern: /(?<![.\w$])process\s*[.[]/g,
    message: "looks at the process: let settings come in as arguments",
    global: "process",
  },
  { pattern: /(?<![.\w$])Buffer\s*[.(]/g, message: "uses Buffer: use Uint8Array and base/bytes.ts" },
  { pattern: /(?<![.\w$])globalThis\b/g, message: "reaches for a global: let it come in as an argument" },
  {
    pattern: /(?<![.\w$])require\s*\(/g,
    message: "loads at run time: use a static import",
    global: "require",
  },
  { pattern: /(?<![.\w$])import\s*\.\s*meta\b/g, message: "knows where it lies: let files come in as data" },
  { pattern: /(?<![.\w$])(?:eval\s*\(|new\s+Function\b)/g, message: "makes code at run time: write it out" },
  {
    pattern: /\.(?:toLocale\w+|localeCompare)\b|(?<![.\w$])Intl\b/g,
    message: "depends on the machine's locale: compare and print by fixed rules",
  },
];

export function impureCalls({ sources }: SourceTree): readonly Finding[] {
  return sources.filter(({ path }) => layerOf(path)?.pure).flatMap((file) => findBanned(file, IMPURE));
}

const ENVIRONMENT: readonly Ban[] = [
  {
    pattern: /\bprocess\s*(?:\.\s*env\b|\[)/g,
    message: "reads the environment: declare an option with `env`, cli/config.ts reads it",
  },
];

/** Settings enter in one place, so that one file shows them all. */
export function environmentReads({ sources }: SourceTree): readonly Finding[] {
  return sources.filter(({ path }) => path !== "cli/config.ts").flatMap((file) => findBanned(file, ENVIRONMENT));
}

function findBanned({ path, code }: SourceFile, bans: readonly Ban[]): readonly Finding[] {
  return bans
    .filter(({ global }) => global === undefined || !declares(code, global))
    .flatMap(({ pattern, message }) =>
      [...code.matchAll(pattern)].map((match) => ({
        path,
        line: lineOf(code, match.index),
        message: `${match[0].trim()} ${message}`,
      })),
    );
}

/** A variable, function, parameter or destructured part of that name. */
function declares(code: string, name: string): boolean {
  const declaration = `\\b(?:const|let|function)\\s+${name}\\b|[(,{;]\\s*(?:readonly\\s+)?${name}\\s*[:,})]`;
  return new RegExp(declaration).test(code);
}
