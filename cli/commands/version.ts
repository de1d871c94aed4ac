import manifest from "../../package.json" with { type: "json" };
import { type Command, defineCommand } from "../command.ts";

export const version: Command = defineCommand({
  name: "version",
  summary: "Print the version of the node, of Node.js and of the platform",
  examples: [{ command: "ogpu version --json", description: "for a bug report or a script" }],
  run(_input, { report }) {
    const facts = {
      ogpu: manifest.version,
      node: process.versions.node,
      platform: `${process.platform} ${process.arch}`,
    };
    report(facts, `ogpu ${facts.ogpu} (Node.js ${facts.node}, ${facts.platform})`);
    return 0;
  },
});
