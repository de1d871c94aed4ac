/**
 * How calls, results, errors and events are encoded: by viem's codec, with two things done here. Selectors and topics
 * are hashed once, where viem hashes them all for every call. And addresses are numbers of 160 bits to it: as addresses
 * it would read and check each with its checksum, a hash and a full cache, for up to 80 us (measured), where a caller
 * pays for a word of input.
 */
import type { Abi, AbiEvent, AbiFunction, AbiParameter } from "viem";
// The whole package takes twice as long to load, in every process of a node (measured: 0.2 s).
import { decodeAbiParameters, encodeAbiParameters, toEventSelector, toFunctionSelector } from "viem/utils";
import { bytesToHex, EMPTY_BYTES, type Hex, hexToBytes } from "../../base/bytes.ts";
import { assert } from "../../base/errors.ts";
import { wordToAddress } from "./address-word.ts";
import { isModuleFault } from "./module-fault.ts";

/** A parameter as the ABI has it, and the same with every address in it a number. */
interface Codec {
  readonly parameters: readonly AbiParameter[];
  readonly numbers: readonly AbiParameter[];
}

interface FunctionCodec {
  readonly definition: AbiFunction;
  readonly inputs: Codec;
  readonly outputs: Codec;
}

interface ErrorCodec extends Codec {
  readonly selector: Hex;
}

interface EventCodec {
  readonly topic: Hex;
  /** One by one: each is a topic. */
  readonly indexed: readonly Codec[];
  readonly plain: Codec;
}

interface AbiCodec {
  readonly functions: ReadonlyMap<string, FunctionCodec>;
  readonly errors: ReadonlyMap<string, ErrorCodec>;
  readonly events: ReadonlyMap<string, EventCodec>;
}

const SELECTOR_CHARACTERS = 10;
const codecs = new WeakMap<Abi, AbiCodec>();

function codecOf(abi: Abi): AbiCodec {
  let codec = codecs.get(abi);
  if (codec === undefined) {
    codec = makeCodec(abi);
    codecs.set(abi, codec);
  }
  return codec;
}

function makeCodec(abi: Abi): AbiCodec {
  const functions = new Map<string, FunctionCodec>();
  const errors = new Map<string, ErrorCodec>();
  const events = new Map<string, EventCodec>();
  for (const item of abi) {
    if (item.type === "function") {
      const [inputs, outputs] = [parametersCodec(item.inputs), parametersCodec(item.outputs)];
      functions.set(toFunctionSelector(item), { definition: item, inputs, outputs });
    } else if (item.type === "error") {
      // An error's selector is made as a function's.
      const selector = toFunctionSelector({ ...item, type: "function", outputs: [], stateMutability: "view" });
      errors.set(item.name, { selector, ...parametersCodec(item.inputs) });
    } else if (item.type === "event") events.set(item.name, eventCodec(item));
  }
  return { functions, errors, events };
}

function parametersCodec(parameters: readonly AbiParameter[]): Codec {
  return { parameters, numbers: parameters.map(withNumbers) };
}

function eventCodec(event: AbiEvent): EventCodec {
  const indexed = event.inputs.filter((input) => input.indexed === true);
  assert(
    indexed.every(({ type }) => STATIC.test(type)),
    `${event.name} has no hashes for topics`,
  );
  return {
    topic: toEventSelector(event),
    indexed: indexed.map((input) => parametersCodec([input])),
    plain: parametersCodec(event.inputs.filter((input) => input.indexed !== true)),
  };
}

/** A topic holds such a value itself. */
const STATIC = /^(address|bool|u?int\d+|bytes\d+)$/;

/** The parameter with every address in it a number. */
function withNumbers(parameter: AbiParameter): AbiParameter {
  const type = parameter.type.replace(/^address/, "uint160");
  if (!("components" in parameter)) return { ...parameter, type };
  return { ...parameter, type, components: parameter.components.map(withNumbers) };
}

const ARRAY = /^(.*)\[\d*\]$/;

/** What was decoded by `withNumbers`, with addresses in lower case again; by the parameter as the ABI has it. */
function fromNumbers(parameter: AbiParameter, value: unknown): unknown {
  if (!isOrHasAddress(parameter)) return value;
  const array = ARRAY.exec(parameter.type);
  if (array !== null) {
    const item = { ...parameter, type: array[1] as string };
    return (value as unknown[]).map((each) => fromNumbers(item, each));
  }
  if (!("components" in parameter)) return wordToAddress(value as bigint);
  const fields = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    parameter.components.map((each) => [each.name ?? "", fromNumbers(each, fields[each.name ?? ""])]),
  );
}

/** The other way. */
function toNumbers(parameter: AbiParameter, value: unknown): unknown {
  if (!isOrHasAddress(parameter)) return value;
  const array = ARRAY.exec(parameter.type);
  if (array !== null) {
    const item = { ...parameter, type: array[1] as string };
    return (value as unknown[]).map((each) => toNumbers(item, each));
  }
  if (!("components" in parameter)) return BigInt(value as Hex);
  const fields = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    parameter.components.map((each) => [each.name ?? "", toNumbers(each, fields[each.name ?? ""])]),
  );
}

function isOrHasAddress(parameter: AbiParameter): boolean {
  if (parameter.type.startsWith("address")) return true;
  return "components" in parameter && parameter.components.some(isOrHasAddress);
}

function encode({ parameters, numbers }: Codec, values: readonly unknown[]): Hex {
  const words = parameters.map((parameter, index) => toNumbers(parameter, values[index]));
  return encodeAbiParameters(numbers, words as never);
}

export interface DecodedCall {
  readonly definition: AbiFunction;
  readonly args: readonly unknown[];
  /** What the function has returned: a value, or an array for several. */
  encodeResult(result: unknown): Uint8Array;
}

/**
 * Strict: the input must be exactly what the ABI would encode, so that one call has one form. `undefined` if it is not.
 * Addresses are in lower case.
 */
/** The first bytes of call data: which function it calls. */
export function selectorIn(data: Uint8Array): string {
  return bytesToHex(data.subarray(0, 4));
}

export function selectorOf(abi: Abi, name: string): string {
  const found = [...codecOf(abi).functions].find(([, { definition }]) => definition.name === name);
  assert(found !== undefined, `the ABI has the function ${name}`);
  return found[0];
}

export function decodeCall(abi: Abi, data: Uint8Array): DecodedCall | undefined {
  const hex = bytesToHex(data);
  const found = codecOf(abi).functions.get(hex.slice(0, SELECTOR_CHARACTERS));
  if (found === undefined) return undefined;
  const args = decodeArgs(found.inputs, `0x${hex.slice(SELECTOR_CHARACTERS)}`);
  if (args === undefined) return undefined;
  const { definition, outputs } = found;
  return { definition, args, encodeResult: (result) => encodeResult(outputs, result) };
}

function decodeArgs({ parameters, numbers }: Codec, input: Hex): readonly unknown[] | undefined {
  if (parameters.length === 0) return input === "0x" ? [] : undefined;
  try {
    const values = decodeAbiParameters(numbers, input) as readonly unknown[];
    if (encodeAbiParameters(numbers, values as never) !== input) return undefined;
    return parameters.map((parameter, index) => fromNumbers(parameter, values[index]));
  } catch (error) {
    // viem throws many kinds of errors for input that does not fit the ABI; they all mean the same to a caller. That this
    // machine has no stack or memory left says nothing about the input.
    if (!isModuleFault(error)) throw error;
    return undefined;
  }
}

function encodeResult(outputs: Codec, result: unknown): Uint8Array {
  const { length } = outputs.parameters;
  if (length === 0) return EMPTY_BYTES;
  return hexToBytes(encode(outputs, length === 1 ? [result] : (result as readonly unknown[])));
}

export function encodeError(abi: Abi, name: string, args: readonly unknown[]): Uint8Array {
  const codec = codecOf(abi).errors.get(name);
  assert(codec !== undefined, `the ABI has the error ${name}`);
  return hexToBytes(`${codec.selector}${encode(codec, args).slice(2)}`);
}

export function encodeEvent(
  abi: Abi,
  name: string,
  args: Readonly<Record<string, unknown>>,
): { readonly topics: Hex[]; readonly data: Uint8Array } {
  const codec = codecOf(abi).events.get(name);
  assert(codec !== undefined, `the ABI has the event ${name}`);
  const values = ({ parameters }: Codec): unknown[] => parameters.map((parameter) => args[parameter.name as string]);
  const topics = codec.indexed.map((each) => encode(each, values(each)));
  return { topics: [codec.topic, ...topics], data: hexToBytes(encode(codec.plain, values(codec.plain))) };
}
