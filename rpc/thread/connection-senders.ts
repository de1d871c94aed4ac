/**
 * Who sent what came through each connection. Whoever sends much does so through connections of its own, so the sender
 * before is a good guess, and a right guess spares recovering a key (chain/senders/claim.ts).
 */
import { NO_CLAIM, type SenderClaim } from "../../chain/senders/claim.ts";
import { NO_CONNECTION } from "./submissions.ts";

/** In a row of one sender before the next is guessed: a wrong guess costs more than half of what a right one spares. */
const STEADY = 2;
/** As many as a node has connections, by default; more are forgotten, the oldest first. */
const MAX_CONNECTIONS = 1_024;

interface Row {
  readonly claim: SenderClaim;
  /** How many in a row. */
  length: number;
}

export class ConnectionSenders {
  readonly #rows = new Map<number, Row>();

  guess(connection: number): SenderClaim {
    const row = this.#rows.get(connection);
    return row !== undefined && row.length >= STEADY ? row.claim : NO_CLAIM;
  }

  note(connection: number, claim: SenderClaim): void {
    if (connection === NO_CONNECTION) return;
    const row = this.#rows.get(connection);
    if (row?.claim === claim) {
      row.length++;
      return;
    }
    if (row === undefined && this.#rows.size >= MAX_CONNECTIONS) {
      const [oldest = NO_CONNECTION] = this.#rows.keys();
      this.#rows.delete(oldest);
    }
    this.#rows.set(connection, { claim, length: 1 });
  }
}
