import type { CompletionPlace, CompletionValue } from "./completion-tree.ts";

/** A bash script that completes `ogpu`, with everything in it: no program is started when somebody presses Tab. */
export function bashScript(places: readonly CompletionPlace[]): string {
  return `# Completion of ogpu for bash. Load it with: source <(ogpu completion bash)
_ogpu() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" place="" word
  local -i index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    case "$place $word" in
${places
  .filter(({ words }) => words.length > 0)
  .map(placeStep)
  .join("\n")}
    esac
  done
  COMPREPLY=()
  case "$place" in
${places.map(placeCase).join("\n")}
  esac
}
complete -o default -F _ogpu ogpu
`;
}

function placeStep({ words }: CompletionPlace): string {
  const before = words.slice(0, -1).map((word) => ` ${word}`);
  return `      ${quoted(`${before.join("")} ${words.at(-1) ?? ""}`)}) place=${quoted(words.map((word) => ` ${word}`).join(""))} ;;`;
}

function placeCase({ words, commands, options, argument }: CompletionPlace): string {
  const flags = options.flatMap(({ flag, short }) => (short === undefined ? [flag] : [flag, short]));
  const values = options.flatMap(({ flag, short, value }) =>
    value === undefined ? [] : [`        ${[flag, ...(short ? [short] : [])].join("|")}) ${reply(value)}; return ;;`],
  );
  const names = commands.map(([name]) => name);
  return `    ${quoted(words.map((word) => ` ${word}`).join(""))})
      case "$previous" in
${values.join("\n")}
        *) ;;
      esac
      if [[ "$current" == -* ]]; then ${reply(flags)}
      else ${names.length > 0 ? reply(names) : reply(argument)}; fi ;;`;
}

/** What readline does by itself (-o default) is files; \`:\` leaves it to that. */
function reply(value: CompletionValue): string {
  if (value === "other") return ":";
  if (value === "file") return 'mapfile -t COMPREPLY < <(compgen -f -- "$current")';
  if (value === "folder") return 'mapfile -t COMPREPLY < <(compgen -d -- "$current")';
  return `mapfile -t COMPREPLY < <(compgen -W ${quoted(value.join(" "))} -- "$current")`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
