import { posix } from "node:path";
import { LAYERS, type Layer } from "../layers.ts";
import { type Finding, lineOf, type SourceTree } from "../source-tree.ts";

const ARCHITECTURE = "docs/ARCHITECTURE.md";

/** The last column of a layer's row in docs/ARCHITECTURE.md. */
export function importsCell({ mayImport }: Layer): string {
  if (mayImport === "anything") return "anything";
  return mayImport.map((folder) => `\`${folder}\``).join(", ") || "nothing";
}

/** The table of layers that people read says what the tests enforce. */
export function layerTable({ documents }: SourceTree): readonly Finding[] {
  const rows = tableRows(documents.get(ARCHITECTURE) ?? "");
  const missing = LAYERS.flatMap((layer): readonly Finding[] => {
    const row = rows.find(([folder]) => folder === `\`${layer.folder}\``);
    const wanted = importsCell(layer);
    if (row === undefined) return [{ path: ARCHITECTURE, message: `add a row for \`${layer.folder}\` to the table` }];
    if (row.at(-1) === wanted) return [];
    return [{ path: ARCHITECTURE, message: `the row of \`${layer.folder}\` must end with: ${wanted}` }];
  });
  const known = new Set(LAYERS.map(({ folder }) => `\`${folder}\``));
  const surplus = rows
    .filter((row) => row.length === 4 && row[0]?.startsWith("`") && !known.has(row[0]))
    .map(([folder]) => ({ path: ARCHITECTURE, message: `${folder} is no layer: add it to test/tidy/layers.ts` }));
  return [...missing, ...surplus];
}

function tableRows(markdown: string): readonly (readonly string[])[] {
  return markdown
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;

/** Relative links, and the headings they point to, exist. */
export function markdownLinks({ documents, exists }: SourceTree): readonly Finding[] {
  return [...documents]
    .filter(([path]) => path.endsWith(".md"))
    .flatMap(([path, text]) => {
      const prose = withoutCodeBlocks(text);
      return [...prose.matchAll(LINK)].flatMap((match): readonly Finding[] => {
        const link = match[1] ?? "";
        if (/^[a-z]+:/.test(link)) return [];
        const [file = "", heading] = link.split("#");
        const target = file === "" ? path : posix.join(posix.dirname(path), file);
        const line = lineOf(prose, match.index);
        if (!exists(target)) return [{ path, line, message: `${link} leads nowhere: mend or remove the link` }];
        const headings = headingAnchors(documents.get(target) ?? "");
        if (heading === undefined || headings.includes(heading)) return [];
        return [{ path, line, message: `${target} has no heading #${heading}: mend the link` }];
      });
    });
}

/** Blanked rather than removed, so that line numbers hold. */
function withoutCodeBlocks(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, " "));
}

function headingAnchors(text: string): readonly string[] {
  return [...withoutCodeBlocks(text).matchAll(/^#+\s+(.+)$/gm)].map((match) =>
    (match[1] ?? "")
      .toLowerCase()
      .replace(/[^\w\s-]/g, "")
      .trim()
      .replace(/\s/g, "-"),
  );
}

const NPM_SCRIPT = /\bnpm (?:run ([\w:-]+)|(test|start)\b)/g;

/** Every npm command that the documents name is one that package.json has. */
export function namedCommands({ documents }: SourceTree): readonly Finding[] {
  const manifest = JSON.parse(documents.get("package.json") ?? "{}") as { scripts?: Readonly<Record<string, string>> };
  return [...documents]
    .filter(([path]) => path.endsWith(".md"))
    .flatMap(([path, text]) =>
      [...text.matchAll(NPM_SCRIPT)]
        .map((match) => ({ script: match[1] ?? match[2] ?? "", line: lineOf(text, match.index) }))
        .filter(({ script }) => manifest.scripts?.[script] === undefined)
        .map(({ script, line }) => ({ path, line, message: `names npm script ${script}, which package.json has not` })),
    );
}
