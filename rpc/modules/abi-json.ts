/** Values of a module's ABI as JSON, and the schema of that: structs become objects, large integers quantities. */
import type { Abi, AbiFunction, AbiParameter } from "viem";
import { assert } from "../../base/errors.ts";
import { quantityText } from "../format.ts";
import { ADDRESS, BOOLEAN, DATA, INTEGER, type JsonSchema, listOf, objectOf, QUANTITY, TEXT } from "../schema.ts";

/** viem gives integers up to this many bits as numbers. */
const MAX_NUMBER_BITS = 48;

export function functionOf(abi: Abi, name: string): AbiFunction {
  const found = abi.find((item) => item.type === "function" && item.name === name);
  assert(found?.type === "function", `the ABI has the function ${name}`);
  return found;
}

/** What a function returns: one value, or an object of several. */
export function outputSchema(abi: Abi, name: string): JsonSchema {
  const { outputs } = functionOf(abi, name);
  const [only] = outputs;
  return outputs.length === 1 && only !== undefined ? schemaOf(only) : membersSchema(outputs);
}

export function outputJson(abi: Abi, name: string, value: unknown): unknown {
  const { outputs } = functionOf(abi, name);
  const [only] = outputs;
  if (outputs.length === 1 && only !== undefined) return jsonOf(only, value);
  return membersJson(outputs, value as readonly unknown[]);
}

function membersSchema(parameters: readonly AbiParameter[]): JsonSchema {
  return objectOf(Object.fromEntries(parameters.map((parameter) => [nameOf(parameter), schemaOf(parameter)])));
}

function membersJson(parameters: readonly AbiParameter[], values: readonly unknown[]): object {
  return Object.fromEntries(
    parameters.map((parameter, index) => [nameOf(parameter), jsonOf(parameter, values[index])]),
  );
}

function nameOf({ name }: AbiParameter): string {
  assert(name !== undefined && name !== "", "several values of a view have names");
  return name;
}

function itemOf(parameter: AbiParameter): AbiParameter | undefined {
  return parameter.type.endsWith("[]") ? { ...parameter, type: parameter.type.slice(0, -2) } : undefined;
}

function componentsOf(parameter: AbiParameter): readonly AbiParameter[] {
  return "components" in parameter ? parameter.components : [];
}

function schemaOf(parameter: AbiParameter): JsonSchema {
  const item = itemOf(parameter);
  if (item !== undefined) return listOf(schemaOf(item));
  const { type } = parameter;
  if (type === "tuple") return membersSchema(componentsOf(parameter));
  if (type === "address") return ADDRESS;
  if (type === "bool") return BOOLEAN;
  if (type === "string") return TEXT;
  if (type.startsWith("bytes")) return DATA;
  return isNumber(type) ? INTEGER : QUANTITY;
}

function jsonOf(parameter: AbiParameter, value: unknown): unknown {
  const item = itemOf(parameter);
  if (item !== undefined) return (value as readonly unknown[]).map((entry) => jsonOf(item, entry));
  const { type } = parameter;
  if (type === "tuple") {
    const members = value as Readonly<Record<string, unknown>>;
    const components = componentsOf(parameter);
    return Object.fromEntries(
      components.map((component) => [component.name, jsonOf(component, members[nameOf(component)])]),
    );
  }
  if (type === "address") return (value as string).toLowerCase();
  return typeof value === "bigint" ? quantityText(value) : value;
}

function isNumber(type: string): boolean {
  const bits = /^u?int(\d+)$/.exec(type)?.[1];
  return bits !== undefined && Number(bits) <= MAX_NUMBER_BITS;
}
