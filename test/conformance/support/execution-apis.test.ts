import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { suite } from "../execution-apis.ts";

const QUANTITY = { type: "string", pattern: "^0x[0-9a-f]+$" };

async function outcomes(methods: readonly object[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "execution-apis-"));
  try {
    writeFileSync(join(folder, "openrpc.json"), JSON.stringify({ openrpc: "1.2.4", methods, components: {} }));
    writeFileSync(join(folder, "other.json"), "[1]");
    const found: string[] = [];
    for await (const { name, outcome } of suite.run(folder)) found.push(`${outcome} ${name}`);
    return found;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

it("tells answers that fit from those that do not, and what is not served from what is", async () => {
  const example = { params: [{ value: "0x1234" }] };
  expect(
    await outcomes([
      { name: "eth_chainId", params: [], result: { schema: QUANTITY } },
      { name: "net_version", params: [], result: { schema: QUANTITY } },
      { name: "eth_getBalance", params: [], result: { schema: QUANTITY }, examples: [example] },
      { name: "eth_unheardOf", params: [], result: { schema: {} } },
      { name: "testing_buildBlockV1", params: [], result: { schema: {} } },
    ]),
  ).toEqual([
    "passed eth_chainId: question 1",
    "failed net_version: question 1",
    "failed eth_getBalance: its example 1",
    "passed eth_getBalance: question 1",
    "passed eth_getBalance: question 2",
    "passed eth_getBalance: question 3",
    "passed eth_getBalance: question 4",
    "failed eth_unheardOf",
    "skipped testing_buildBlockV1",
  ]);
});
