/**
 * Ethereum's execution-apis as an OpenRPC document: every method is asked with the document's own examples and with
 * questions about a chain of ours on which a bit of everything has happened. Parameters of examples must be taken, and
 * answers must fit the document's schemas. Methods that this chain does not have must say so (-32601).
 */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { DrivenChain } from "../rpc/support/driven-chain.ts";
import type { RpcAnswer } from "../rpc/support/rpc-fixture.ts";
import { type CaseResult, jsonFiles, type Suite } from "./suite.ts";

interface OpenRpcMethod {
  readonly name: string;
  readonly params: readonly unknown[];
  readonly result: { readonly schema: object };
  readonly examples?: readonly { readonly params: readonly { readonly value?: unknown }[] }[];
}

interface OpenRpcDocument {
  readonly openrpc: string;
  readonly methods: readonly OpenRpcMethod[];
  readonly components: object;
}

/** What has no meaning here: another consensus, test hooks, blobs, lists of what a block touches. */
const NOT_SERVED = /^(engine_|testing_|eth_getBlockAccessList$|debug_getRawBlockAccessList$|eth_getBlobs|eth_getBlob)/;

const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

export const suite: Suite = {
  name: "execution-apis",
  description: "Ethereum's execution API: answers fit its OpenRPC schemas, and its examples are taken",
  async *run(path: string): AsyncGenerator<CaseResult> {
    for (const { content } of jsonFiles(path)) if (isOpenRpc(content)) yield* checkDocument(content);
  },
};

function isOpenRpc(content: unknown): content is OpenRpcDocument {
  return typeof Object(content).openrpc === "string" && Array.isArray(Object(content).methods);
}

async function* checkDocument(document: OpenRpcDocument): AsyncGenerator<CaseResult> {
  const chain = await DrivenChain.open();
  try {
    for (const method of document.methods) {
      if (NOT_SERVED.test(method.name)) yield await checkAbsent(chain, method);
      else yield* checkMethod(chain, method, validatorOf(document, method));
    }
  } finally {
    await chain.close();
  }
}

async function checkAbsent({ fixture }: DrivenChain, { name }: OpenRpcMethod): Promise<CaseResult> {
  const { error } = await fixture.ask(name);
  if (error?.code === METHOD_NOT_FOUND) return { name, outcome: "skipped", reason: "not served, and says so (-32601)" };
  return { name, outcome: "failed", reason: "is not served, but does not say so" };
}

async function* checkMethod(
  chain: DrivenChain,
  method: OpenRpcMethod,
  validate: ValidateFunction,
): AsyncGenerator<CaseResult> {
  const { name } = method;
  for (const [index, { params }] of (method.examples ?? []).entries()) {
    const answer = await chain.fixture.ask(name, ...params.map(({ value }) => value));
    yield resultOf(`${name}: its example ${index + 1}`, wrongWithExample(answer, validate));
  }
  const questions = await questionsAbout(chain, name);
  if (questions === undefined) yield resultOf(name, "nobody knows what to ask it");
  for (const [index, params] of (questions ?? []).entries()) {
    const answer = await chain.fixture.ask(name, ...params);
    yield resultOf(`${name}: question ${index + 1}`, wrongWithAnswer(answer, validate));
  }
}

/** Filters have to be made before they are asked. */
async function questionsAbout(chain: DrivenChain, name: string): Promise<readonly (readonly unknown[])[] | undefined> {
  const { fixture } = chain;
  if (!/^eth_(getFilter|uninstallFilter)/.test(name)) return chain.questions(name);
  const filter = await fixture.call("eth_newFilter", { fromBlock: "0x0" });
  return name === "eth_getFilterChanges" ? [[filter], [await fixture.call("eth_newBlockFilter")]] : [[filter]];
}

function resultOf(name: string, reason: string | undefined): CaseResult {
  return reason === undefined ? { name, outcome: "passed" } : { name, outcome: "failed", reason };
}

/** Other chains' blocks and transactions are not here: to say so is right. */
function wrongWithExample(answer: RpcAnswer, validate: ValidateFunction): string | undefined {
  const { error } = answer;
  if (error === undefined) return wrongWithAnswer(answer, validate);
  const isRefused = [METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR].includes(error.code);
  return isRefused ? `${error.code} ${error.message}` : undefined;
}

function wrongWithAnswer({ result, error }: RpcAnswer, validate: ValidateFunction): string | undefined {
  if (error !== undefined) return `${error.code} ${error.message}`;
  const isEmptyList = Array.isArray(result) && result.length === 0;
  if (validate(result)) return undefined;
  const [first] = validate.errors ?? [];
  // The document has lists of hashes or of logs: an empty one is both.
  if (first?.keyword === "oneOf" && isEmptyList) return undefined;
  return `${first?.instancePath} ${first?.message} ${JSON.stringify(first?.params)}`;
}

/** References in the document are to its own components. */
function validatorOf({ components }: OpenRpcDocument, { result }: OpenRpcMethod): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  return ajv.compile({ ...result.schema, components });
}
