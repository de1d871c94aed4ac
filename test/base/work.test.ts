import { describe, expect, it } from "vitest";
import { finish, inTurns, type Work } from "../../base/work.ts";

function* counted(steps: number, seen: string[]): Work<number> {
  for (let step = 0; step < steps; step++) {
    seen.push(`step ${step}`);
    yield;
  }
  return steps;
}

describe("work", () => {
  it("runs to its end at once", () => {
    const seen: string[] = [];
    expect(finish(counted(3, seen))).toBe(3);
    expect(seen).toEqual(["step 0", "step 1", "step 2"]);
  });

  it("lets others have their turns where the pause says so, and nowhere else", async () => {
    const seen: string[] = [];
    let asked = 0;
    const pause = (): Promise<void> | undefined => (asked++ === 1 ? Promise.resolve() : undefined);
    const done = inTurns(counted(3, seen), pause);
    seen.push("others");
    expect(await done).toBe(3);
    expect(seen).toEqual(["step 0", "step 1", "others", "step 2"]);
  });

  it("throws what a step throws", async () => {
    function* failing(): Work<void> {
      yield;
      throw new Error("the step");
    }
    expect(() => finish(failing())).toThrow("the step");
    await expect(inTurns(failing(), () => undefined)).rejects.toThrow("the step");
  });
});
