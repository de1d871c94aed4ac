import { statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SingleNode } from "./support/single-node.ts";

let fixture: SingleNode;

beforeEach(() => {
  fixture = new SingleNode();
});

afterEach(async () => {
  await fixture.close();
  fixture.remove();
});

const logSize = (): number => statSync(join(fixture.directory, "consensus", "consensus.log")).size;

it("a validator has its log, and signs nothing, while what it notes before is not durable", async () => {
  let finishNote = (): void => {};
  const noted = new Promise<void>((resolve) => {
    finishNote = resolve;
  });
  let beginNote = (): void => {};
  const asked = new Promise<void>((resolve) => {
    beginNote = resolve;
  });
  const opening = fixture.open({
    beforeSigning: () => {
      beginNote();
      return noted;
    },
  });
  await asked;
  const empty = logSize();
  fixture.clock.advance(2 * fixture.spec.consensus.heartbeatMilliseconds);
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(logSize()).toBe(empty);
  finishNote();
  await fixture.nextBlock(await opening);
  expect(logSize()).toBeGreaterThan(empty);
});

it("a validator does not start when the note fails; one without its log follows and is not asked for it", async () => {
  const beforeSigning = (): Promise<void> => Promise.reject(new Error("no note"));
  // Its log is not there, and it does not say that its key is new.
  const node = await fixture.open({ beforeSigning, isNewKey: false });
  expect(node.consensus.own).toBeUndefined();
  await fixture.close();
  await expect(fixture.open({ beforeSigning })).rejects.toThrow("no note");
});
