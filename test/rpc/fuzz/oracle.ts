/** What every answer must be, whatever was asked. Throws with what is wrong. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { METHODS } from "../../../rpc/methods.ts";
import { COMPONENTS } from "../../../rpc/result-schemas.ts";
import { INTERNAL_ERROR } from "../../../rpc/rpc-error.ts";

const SCHEMAS = new Map(METHODS.map(({ name, result }) => [name, result]));

export class Oracle {
  private readonly ajv = new Ajv2020({ strict: false, validateFormats: false });
  private readonly validators = new Map<string, ValidateFunction>();

  /** The answer to one request with that id. */
  checkAnswer(method: string, id: unknown, answer: unknown): void {
    checkShape(answer);
    const { id: answered, result } = answer;
    if (JSON.stringify(answered) !== JSON.stringify(id))
      throw new Error(`the id ${JSON.stringify(answered)} is another`);
    if (!("result" in answer)) return;
    const validate = this.validatorOf(method);
    if (validate === undefined) throw new Error("a method that does not exist answers");
    if (!validate(result))
      throw new Error(`${JSON.stringify(result)} does not fit: ${JSON.stringify(validate.errors)}`);
  }

  /** The answer to any text: one, or a list of them. */
  checkBody(text: string): void {
    const answer: unknown = JSON.parse(text);
    if (Array.isArray(answer) && answer.length === 0) throw new Error("an empty list of answers");
    for (const one of Array.isArray(answer) ? answer : [answer]) checkShape(one);
  }

  private validatorOf(method: string): ValidateFunction | undefined {
    const schema = SCHEMAS.get(method);
    if (schema === undefined) return undefined;
    const validate =
      this.validators.get(method) ?? this.ajv.compile({ ...schema, components: { schemas: COMPONENTS } });
    this.validators.set(method, validate);
    return validate;
  }
}

function checkShape(answer: unknown): asserts answer is Readonly<Record<string, unknown>> {
  if (typeof answer !== "object" || answer === null) throw new Error(`${JSON.stringify(answer)} is no answer`);
  const { jsonrpc, error } = answer as Readonly<Record<string, unknown>>;
  if (jsonrpc !== "2.0" || !("id" in answer)) throw new Error("an answer has its version and the id");
  if ("result" in answer === "error" in answer) throw new Error("an answer has a result or an error");
  if (error === undefined) return;
  const { code, message } = error as Readonly<Record<string, unknown>>;
  if (!Number.isInteger(code) || typeof message !== "string") throw new Error("an error has a code and a message");
  if (code === INTERNAL_ERROR) throw new Error(`a bug: ${message}`);
}
