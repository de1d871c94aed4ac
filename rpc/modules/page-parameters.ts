/** How lists of modules are asked for: a page at a time. */
import { MAX_PAGE } from "../../vm/modules/page.ts";
import { integer, mapped, named, optional, type Parameter } from "../parameters.ts";
import { invalidParams } from "../rpc-error.ts";

export const pageStart: Parameter<bigint> = optional(named("start", mapped(integer, BigInt)), 0n);

export const pageLimit: Parameter<bigint> = optional(
  named(
    "limit",
    mapped(integer, (value, where) => {
      if (BigInt(value) > MAX_PAGE) throw invalidParams(`${where} is at most ${MAX_PAGE}`);
      return BigInt(value);
    }),
  ),
  MAX_PAGE,
);
