import { readFileSync } from "node:fs";
import fc from "fast-check";
import fastify from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NETWORK_NAMES } from "../../genesis/networks.ts";
import { chainSpecSchema } from "../../genesis/parse-chain-spec.ts";
import { problemsOf } from "./support/problems-of.ts";
import { changed, sampleDocument } from "./support/sample-spec.ts";

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../genesis/${path}`, import.meta.url), "utf8"));
}

/** An independent JSON Schema validator: the one inside fastify, told not to change what it checks. */
const app = fastify({ ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } } });

async function schemaAccepts(document: unknown): Promise<boolean> {
  const response = await app.inject({ method: "POST", url: "/", payload: { document } });
  expect([200, 400]).toContain(response.statusCode);
  return response.statusCode === 200;
}

beforeAll(async () => {
  const { $schema: _draft, ...schema } = chainSpecSchema;
  const body = { type: "object", properties: { document: schema }, required: ["document"] };
  app.post("/", { schema: { body } }, async () => "accepted");
  await app.ready();
});

afterAll(() => app.close());

describe("the JSON Schema of chain specs", () => {
  it("is what the file holds; `ogpu genesis schema` prints it anew", () => {
    expect(readJson("chain-spec.schema.json")).toEqual(chainSpecSchema);
  });

  it("accepts what the parser accepts", async () => {
    expect(await schemaAccepts(sampleDocument())).toBe(true);
    for (const name of NETWORK_NAMES) {
      expect(problemsOf(readJson(`specs/${name}.json`))).toEqual([]);
      expect(await schemaAccepts(readJson(`specs/${name}.json`))).toBe(true);
    }
  });

  it.each([
    ["version", 2],
    ["name", "UPPER"],
    ["chainId", 0],
    ["chainId", "1"],
    ["fork", "frontier"],
    ["surplus", 1],
    ["block.gasLimit", 1.5],
    ["block.surplus", 1],
    ["block.initialBaseFee", "1"],
    ["block.initialBaseFee", "0.0000000001 gwei"],
    ["block.allowUnprotected", "yes"],
    ["modules.token.cap", "21000000"],
    ["modules.unknown", {}],
    ["accounts.0.address", "0x1"],
    ["accounts.0.note", "two\nlines"],
    ["accounts.0.note", "x".repeat(201)],
    ["accounts.1.code", "0xABCD"],
    ["accounts.1.storage", { "0x01": "0x02" }],
    ["accounts.1.storage", { [`0x${"00".repeat(32)}`]: "0x02" }],
    ["accounts", {}],
    ["consensus.epochBlocks", 0],
    ["consensus.surplus", 1],
    ["validators.0.publicKey", "0x12"],
    ["validators.0.stake", "100"],
    ["validators.0.surplus", 1],
    ["validators", {}],
  ])("refuses %s = %j, as the parser does", async (path, value) => {
    const document = changed(path, value);
    expect(problemsOf(document)).not.toEqual([]);
    expect(await schemaAccepts(document)).toBe(false);
  });

  it.each(["version", "name", "block", "block.gasLimit", "modules.token", "accounts", "accounts.0.address"])(
    "wants %s, as the parser does",
    async (path) => {
      expect(problemsOf(changed(path))).not.toEqual([]);
      expect(await schemaAccepts(changed(path))).toBe(false);
    },
  );

  it("never refuses what the parser accepts", async () => {
    const places = [
      "name",
      "chainId",
      "genesisTime",
      "block.gasLimit",
      "accounts.0.balance",
      "accounts.0.note",
      "accounts.0.nonce",
    ];
    const amounts = fc
      .tuple(fc.nat(), fc.nat(), fc.constantFrom("oGPU", "gwei", "wei"))
      .map(([whole, fraction, unit]) => `${whole}.${fraction} ${unit}`);
    const value = fc.oneof(fc.jsonValue(), fc.nat(), fc.string(), amounts);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), value, async (place, anything) => {
        const document = JSON.parse(JSON.stringify(changed(place, anything)));
        if (problemsOf(document).length === 0) expect(await schemaAccepts(document)).toBe(true);
      }),
    );
  });
});
