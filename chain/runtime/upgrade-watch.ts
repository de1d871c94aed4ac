/** Tells of upgrades to come: what a program does not know will stop it, and its operator wants to hear of that in time. */
import { upcomingUpgrade } from "../../vm/modules/governance/upgrades.ts";
import type { StateReader } from "../../vm/state/reader.ts";
import type { SubsystemLog } from "./node-log.ts";

export class UpgradeWatch {
  readonly #known: readonly string[] | undefined;
  readonly #say: SubsystemLog;
  /** Of what was told last. */
  #told = "";
  #blocksLeft = 0;

  constructor(known: readonly string[] | undefined, say: SubsystemLog) {
    this.#known = known;
    this.#say = say;
  }

  /** The state after block `height`. Says it at first sight and, while the program has to be replaced, each time that half of the way is gone. */
  look(state: StateReader, height: number): void {
    const upgrade = upcomingUpgrade(state, this.#known);
    if (upgrade === undefined) return;
    const { name, isKnown } = upgrade;
    const at = Number(upgrade.height);
    const blocksLeft = at - height;
    const isNew = this.#told !== `${name} ${at}`;
    if (!isNew && (isKnown || blocksLeft > this.#blocksLeft / 2)) return;
    this.#told = `${name} ${at}`;
    this.#blocksLeft = blocksLeft;
    const facts = { upgrade: name, height: at, blocksLeft };
    if (isKnown) this.#say.info(facts, "an upgrade is scheduled; this program knows it");
    else this.#say.warn(facts, "THIS PROGRAM WILL STOP before an upgrade that it does not know: install a newer one");
  }
}
