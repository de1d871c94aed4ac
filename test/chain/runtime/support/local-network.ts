/** Nodes of one process, connected by function calls that take a turn of the event loop each. */
import type { FinalSegment } from "../../../../chain/consensus/types.ts";
import type { NetworkFactory, NodeNetwork, NodeNetworkHandlers, Peer } from "../../../../chain/runtime/node-network.ts";
import type { NodeMessage } from "../../../../chain/wire/node-message.ts";

interface Member {
  readonly handlers: NodeNetworkHandlers;
  readonly isValidator: boolean;
}

export class LocalNetwork {
  readonly #members = new Map<string, Member>();
  /** Pairs of names that hear nothing of each other. */
  readonly #cut = new Set<string>();
  readonly penalties: { readonly by: string; readonly peer: string; readonly offence: string }[] = [];

  cut(a: string, b: string): void {
    this.#cut.add(`${a} ${b}`).add(`${b} ${a}`);
  }

  heal(): void {
    this.#cut.clear();
  }

  factory(name: string, isValidator: boolean): NetworkFactory {
    return async (handlers) => {
      this.#members.set(name, { handlers, isValidator });
      return this.#connect(name);
    };
  }

  #connect(name: string): NodeNetwork {
    const others = (): [string, Member][] =>
      [...this.#members].filter(([other]) => other !== name && !this.#cut.has(`${name} ${other}`));
    const deliver = (to: string, run: (member: Member) => void): boolean => {
      const isThere = others().some(([other]) => other === to);
      if (isThere) {
        setImmediate(() => {
          const member = this.#members.get(to);
          if (member !== undefined) run(member);
        });
      }
      return isThere;
    };
    const tell = (to: string, message: NodeMessage): boolean =>
      deliver(to, ({ handlers }) => handlers.onMessage(name, message));
    return {
      peers: () => others().map(([peer, { handlers }]): Peer => ({ peer, height: handlers.status().height })),
      send: tell,
      broadcast: (message, to) => {
        for (const [other, { isValidator }] of others()) if (to === "all" || isValidator) tell(other, message);
      },
      publishTransactions: (batch) => {
        for (const [other] of others()) {
          deliver(other, ({ handlers }) => void handlers.onTransactions(name, batch));
        }
      },
      publishFinalBlock: (segment: FinalSegment) => {
        for (const [other] of others()) deliver(other, ({ handlers }) => void handlers.onFinalBlock(name, segment));
      },
      publishProgress: (progress) => {
        for (const [other] of others()) deliver(other, ({ handlers }) => void handlers.onProgress(name, [progress]));
      },
      penalise: (peer, offence) => this.penalties.push({ by: name, peer, offence }),
      stop: async () => {
        this.#members.delete(name);
      },
    };
  }
}
