/** JSON schemas of what methods take and answer: the OpenRPC document shows them, and tests hold the answers to them. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export const QUANTITY: JsonSchema = {
  title: "quantity",
  type: "string",
  pattern: "^0x(0|[1-9a-f][0-9a-f]{0,63})$",
};
export const DATA: JsonSchema = { title: "bytes", type: "string", pattern: "^0x([0-9a-f]{2})*$" };
export const HASH: JsonSchema = { title: "32 bytes", type: "string", pattern: "^0x[0-9a-f]{64}$" };
export const ADDRESS: JsonSchema = { title: "address", type: "string", pattern: "^0x[0-9a-fA-F]{40}$" };
export const BOOLEAN: JsonSchema = { type: "boolean" };
export const TEXT: JsonSchema = { type: "string" };
export const INTEGER: JsonSchema = { type: "integer", minimum: 0 };
/** Wei as decimal text: what people read. */
export const AMOUNT: JsonSchema = { title: "wei", type: "string", pattern: "^(0|[1-9][0-9]*)$" };
export const NULL: JsonSchema = { type: "null" };
export const ANYTHING: JsonSchema = {};

export function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [NULL, schema] };
}

export function listOf(items: JsonSchema): JsonSchema {
  return { type: "array", items };
}

export function mapOf(values: JsonSchema): JsonSchema {
  return { type: "object", additionalProperties: values };
}

/** An object with exactly these members; those of `optional` may be missing. */
export function objectOf(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  return {
    type: "object",
    required: Object.keys(properties),
    properties: { ...properties, ...optional },
    additionalProperties: false,
  };
}
