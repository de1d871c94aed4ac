import { type Command, type CommandSection, defineCommand, type ExitCode } from "../command.ts";
import { bashScript } from "../completion/bash-script.ts";
import { type CompletionPlace, completionPlaces } from "../completion/completion-tree.ts";
import { fishScript } from "../completion/fish-script.ts";
import { zshScript } from "../completion/zsh-script.ts";
import { usageError } from "../failure.ts";
import { nearest } from "../nearest.ts";

const SCRIPTS: Readonly<Record<string, (places: readonly CompletionPlace[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** It needs the list of commands, so it is made with it. */
export function completionCommand(sections: readonly CommandSection[], summary: string): Command {
  return defineCommand({
    name: "completion",
    summary,
    details:
      "Everything is in the script, so pressing Tab starts no program. Print it again after an upgrade: that is when " +
      "commands change.",
    args: [{ name: "shell", description: "bash, zsh or fish" }],
    examples: [
      { command: "ogpu completion bash > ~/.local/share/bash-completion/completions/ogpu", description: "for bash" },
      { command: "ogpu completion zsh > ~/.zfunc/_ogpu", description: "for zsh, with ~/.zfunc in $fpath" },
      { command: "ogpu completion fish > ~/.config/fish/completions/ogpu.fish", description: "for fish" },
    ],
    async run({ args: [shell = ""] }, { report }): Promise<ExitCode> {
      const write = SCRIPTS[shell];
      if (write === undefined) {
        const meant = nearest(shell, Object.keys(SCRIPTS));
        const suggestion = meant === undefined ? "" : `; did you mean ${meant}?`;
        throw usageError(`there is no completion for ${shell}${suggestion}`, "Shells: bash, zsh, fish.");
      }
      const entries = await Promise.all(sections.flatMap((section) => section.entries).map((entry) => entry.load()));
      const script = write(completionPlaces(entries));
      report({ shell, script }, script.trimEnd());
      return 0;
    },
  });
}
