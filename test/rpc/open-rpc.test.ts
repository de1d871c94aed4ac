import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { METHODS } from "../../rpc/methods.ts";
import { openRpcDocument } from "../../rpc/open-rpc.ts";
import { COMPONENTS } from "../../rpc/result-schemas.ts";
import { DrivenChain } from "./support/driven-chain.ts";

let chain: DrivenChain;
beforeAll(async () => {
  chain = await DrivenChain.open();
});
afterAll(() => chain.close());

function validatorOf(schema: object): (value: unknown) => string | undefined {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const validate = ajv.compile({ ...schema, components: { schemas: COMPONENTS } });
  return (value) => (validate(value) ? undefined : JSON.stringify(validate.errors));
}

/** Made by others before they are asked, only heard over WebSocket, or for workers at work alone (test/processes). */
const ELSEWHERE = /Filter(Changes|Logs)$|uninstallFilter$|ubscribe$|sendRawTransactionSync$|reportProgress$|^admin_/;

describe.each(METHODS.map((method) => [method.name, method] as const))(
  "%s",
  (name, { parameters, result, summary }) => {
    it("says what it takes and what it answers with", () => {
      expect(summary).toBeTruthy();
      for (const parameter of parameters) {
        expect(parameter.name, `${name} names its parameters`).toBeTruthy();
        expect(parameter.schema, `${name} has a schema for ${parameter.name}`).toBeDefined();
      }
    });

    it.runIf(!ELSEWHERE.test(name))("answers as it says, to parameters as it says", async () => {
      const questions = chain.questions(name);
      expect(questions, "the driven chain has a question for it").toBeDefined();
      const validate = validatorOf(result);
      for (const params of questions ?? []) {
        for (const [index, value] of params.entries()) {
          expect(validatorOf(parameters[index]?.schema ?? {})(value), `parameter ${index + 1}`).toBeUndefined();
        }
        const answer = await chain.fixture.ask(name, ...params);
        expect(answer.error).toBeUndefined();
        expect(validate(answer.result)).toBeUndefined();
      }
    });
  },
);

it("has no bug", () => {
  expect(chain.fixture.bugs).toEqual([]);
});

it("shows every method in the document, each once", async () => {
  const document = (await chain.fixture.call("rpc.discover")) as { methods: { name: string }[] };
  const names = document.methods.map(({ name }) => name);
  expect(names).toEqual(METHODS.map(({ name }) => name));
  expect(new Set(names).size).toBe(names.length);
  expect(document).toEqual(JSON.parse(JSON.stringify(openRpcDocument(METHODS, "ogpu/test"))));
});

it("has every method in docs/rpc.md", () => {
  const page = readFileSync(new URL("../../docs/rpc.md", import.meta.url), "utf8");
  for (const { name } of METHODS) expect(page, name).toContain(`\`${name}\``);
});
