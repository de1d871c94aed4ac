import type { CompletionOption, CompletionPlace, CompletionValue } from "./completion-tree.ts";

/** A fish script that completes `ogpu`; descriptions stand beside the words. */
export function fishScript(places: readonly CompletionPlace[]): string {
  const lines = places.flatMap((place) => [
    ...commandLines(place),
    ...place.options.map((each) => optionLine(place, each)),
  ]);
  return `# Completion of ogpu for fish. Load it with: ogpu completion fish | source
function __ogpu_place
    set -l place ""
    for word in (commandline -opc)[2..-1]
        switch "$place $word"
            case ${places
              .filter(({ words }) => words.length > 0)
              .map(({ words }) => quoted(spaced(words)))
              .join(" ")}
                set place "$place $word"
        end
    end
    printf '%s\\n' $place
end
function __ogpu_at
    test (__ogpu_place) = "$argv"
end
complete -c ogpu -f
${lines.join("\n")}
`;
}

function commandLines({ words, commands, argument }: CompletionPlace): readonly string[] {
  const lines = commands.map(
    ([name, summary]) => `complete -c ogpu -n ${condition(words)} -a ${name} -d ${quoted(summary)}`,
  );
  if (argument === "other") return lines;
  return [...lines, `complete -c ogpu -n ${condition(words)} ${argument === "folder" ? folders() : "-F"}`];
}

function optionLine({ words }: CompletionPlace, { flag, short, description, value }: CompletionOption): string {
  const letter = short === undefined ? "" : ` -s ${short.slice(1)}`;
  return (
    `complete -c ogpu -n ${condition(words)} -l ${flag.slice(2)}${letter} -d ${quoted(description)}` +
    (value === undefined ? "" : ` -r ${source(value)}`)
  ).trimEnd();
}

function source(value: CompletionValue): string {
  if (value === "other") return "-f";
  if (value === "file") return "-F";
  return value === "folder" ? folders() : `-f -a ${quoted(value.join(" "))}`;
}

function folders(): string {
  return "-f -a '(__fish_complete_directories)'";
}

function spaced(words: readonly string[]): string {
  return words.map((word) => ` ${word}`).join("");
}

function condition(words: readonly string[]): string {
  return quoted(`__ogpu_at "${spaced(words)}"`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
