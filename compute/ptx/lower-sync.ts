/** Lowers barriers and warp operations. */
import type { Lowering } from "./lower-integer.ts";
import type { LoweringContext } from "./lowering-context.ts";

function barrier(context: LoweringContext): void {
  context.flag("cta");
  if (context.flag("warp")) {
    warpBarrier(context);
    return;
  }
  context.flag("aligned");
  if (!context.flag("sync")) context.fail("PTX_UNSUPPORTED", "only bar.sync and bar.warp.sync are supported");
  if (context.statement.operands.length === 2) context.fail("PTX_UNSUPPORTED", "a thread count is not supported");
  context.done(1);
  const id = context.operand(0);
  if (id.kind !== "integer" || id.value < 0n || id.value > 15n) {
    context.fail("PTX_UNSUPPORTED", "the barrier must be a number from 0 to 15");
    return;
  }
  context.emit("barrier", "b32", [], [], { mode: id.value.toString() });
}

function warpBarrier(context: LoweringContext): void {
  if (!context.flag("sync")) context.fail("PTX_SYNTAX", "needs .sync");
  context.done(1);
  context.emit("warpsync", "b32", [], [context.source(0, "b32")]);
}

/** Without `.sync` it is not defined which threads take part. */
function needSync(context: LoweringContext): void {
  if (!context.flag("sync")) context.fail("PTX_REFUSED", "without .sync it is not defined which threads take part");
}

function shuffle(context: LoweringContext): void {
  needSync(context);
  const mode = context.oneOf("up", "down", "bfly", "idx");
  if (mode === undefined) context.fail("PTX_SYNTAX", "needs .up, .down, .bfly or .idx");
  const type = context.type("b32");
  context.done(5);
  const target = context.operand(0);
  const dst =
    target.kind === "pair"
      ? [context.destinationOf(target.first, type), context.destinationOf(target.second, "pred")]
      : [context.destinationOf(target, type), -1];
  const src = [1, 2, 3, 4].map((i) => context.source(i, type));
  context.emit("shfl", type, dst, src, { mode });
}

function vote(context: LoweringContext): void {
  needSync(context);
  const mode = context.oneOf("all", "any", "uni", "ballot");
  if (mode === undefined) context.fail("PTX_SYNTAX", "needs .all, .any, .uni or .ballot");
  const type = context.type(mode === "ballot" ? "b32" : "pred");
  context.done(3);
  const src = [context.source(1, "pred"), context.source(2, "b32")];
  context.emit("vote", type, [context.destination(0, type)], src, { mode });
}

function matching(context: LoweringContext): void {
  needSync(context);
  const mode = context.oneOf("any", "all");
  if (mode === undefined) context.fail("PTX_SYNTAX", "needs .any or .all");
  const type = context.type("b32", "b64");
  context.done(3);
  const target = context.operand(0);
  const dst =
    target.kind === "pair"
      ? [context.destinationOf(target.first, "b32"), context.destinationOf(target.second, "pred")]
      : [context.destinationOf(target, "b32"), -1];
  context.emit("match", type, dst, [context.source(1, type), context.source(2, "b32")], { mode });
}

export const SYNC_LOWERINGS: Readonly<Record<string, Lowering>> = {
  bar: barrier,
  barrier,
  shfl: shuffle,
  vote,
  match: matching,
};
