/** `ogpu validator` on the data of a chain that goes on with an upgrade it does not know. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { COMMANDS } from "../../cli/commands.ts";
import { readConfig } from "../../cli/config.ts";
import { runCommandLine } from "../../cli/run.ts";
import { chainSpecJson } from "../../genesis/write-chain-spec.ts";
import { SingleNode, singleSpec } from "../chain/runtime/support/single-node.ts";
import {
  nextHeartbeat,
  runToUpgrade,
  UPGRADE,
  UPGRADE_HEIGHT,
  upgradeSpec,
} from "../chain/runtime/support/upgrade-chain.ts";

const spec = upgradeSpec(singleSpec(), 60n);
let fixture: SingleNode;

beforeEach(() => {
  fixture = new SingleNode();
});

afterEach(async () => {
  await fixture.close();
  fixture.remove();
});

it("ends with 1, and says which upgrade, from which block on, and what to do; the data stay good", async () => {
  await runToUpgrade(fixture, await fixture.open({ spec }));
  await fixture.close();
  const file = join(fixture.directory, "spec.json");
  writeFileSync(file, JSON.stringify(chainSpecJson(spec)));
  const err: string[] = [];
  const terminal = { out: () => {}, err: (text: string) => err.push(text), signal: new AbortController().signal };
  const place = ["--spec", file, "--data-dir", fixture.directory, "--dev-key", "0"];
  const ports = ["--no-rpc", "--listen", "/ip4/127.0.0.1/tcp/0", "--log-level", "error"];
  const code = await runCommandLine(["validator", ...place, ...ports], COMMANDS, readConfig({}), terminal);
  const said = err.join("\n");
  expect(said).toContain("[UPGRADE_REQUIRED]");
  expect(said).toContain(`from block ${UPGRADE_HEIGHT} on the chain runs by the rules of upgrade "${UPGRADE}"`);
  expect(said).toContain(`Install a version of ogpu that knows "${UPGRADE}"`);
  expect(code).toBe(1);

  const fresh = await fixture.open({ spec, knownUpgrades: [UPGRADE] });
  await nextHeartbeat(fixture, fresh);
  expect(fresh.head.number).toBe(UPGRADE_HEIGHT);
  expect(fixture.failures).toEqual([]);
});
