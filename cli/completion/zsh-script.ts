import type { CompletionOption, CompletionPlace, CompletionValue } from "./completion-tree.ts";

/** A zsh script that completes `ogpu`; descriptions stand beside the words. */
export function zshScript(places: readonly CompletionPlace[]): string {
  return `#compdef ogpu
# Completion of ogpu for zsh. Put it in a folder of $fpath as _ogpu, or load it with: source <(ogpu completion zsh)
_ogpu() {
  local place="" word
  local -i index
  for ((index = 2; index < CURRENT; index++)); do
    word="\${words[index]}"
    case "$place $word" in
${places
  .filter(({ words }) => words.length > 0)
  .map(placeStep)
  .join("\n")}
    esac
  done
  case "$place" in
${places.map(placeCase).join("\n")}
  esac
}
if [[ "\${funcstack[1]}" == _ogpu ]]; then _ogpu "$@"; else compdef _ogpu ogpu; fi
`;
}

function spaced(words: readonly string[]): string {
  return words.map((word) => ` ${word}`).join("");
}

function placeStep({ words }: CompletionPlace): string {
  return `      ${quoted(spaced(words))}) place=${quoted(spaced(words))} ;;`;
}

function placeCase({ words, commands, options, argument }: CompletionPlace): string {
  const specs = options.flatMap(optionSpecs);
  const rest =
    commands.length > 0
      ? `'*:command:((${commands.map(([name, summary]) => `${name}\\:${escaped(summary)}`).join(" ")}))'`
      : `'*::argument:${action(argument)}'`;
  // Words of the place itself are taken away: _arguments counts from the command.
  return `    ${quoted(spaced(words))})
      ${words.length > 0 ? `words=("\${(@)words[${words.length + 1},-1]}"); (( CURRENT -= ${words.length} )); ` : ""}_arguments -s \\
        ${[...specs, rest].join(" \\\n        ")} ;;`;
}

function optionSpecs({ flag, short, description, value }: CompletionOption): readonly string[] {
  const told = `[${description.replaceAll("[", "\\[").replaceAll("]", "\\]").replaceAll("'", "'\\''")}]`;
  return [flag, ...(short === undefined ? [] : [short])].map((name) =>
    value === undefined
      ? `'${name}${told}'`
      : `'*${name}=${told}:value:${action(value)}'`.replace(`${short}=`, `${short}`),
  );
}

function action(value: CompletionValue): string {
  if (value === "other") return " ";
  if (value === "file") return "_files";
  if (value === "folder") return "_files -/";
  return `(${value.join(" ")})`;
}

function escaped(text: string): string {
  return `"${text.replaceAll("'", "'\\''").replaceAll('"', '\\"').replaceAll(":", "\\:")}"`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
