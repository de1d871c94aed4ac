import { useEffect, useState } from "preact/hooks";
import { tick } from "./live.ts";
import { useStore } from "./use-store.ts";

export interface Query<Value> {
  /** The last answer; it stays while the next is asked for. */
  readonly value: Value | undefined;
  readonly error: unknown;
  /** Asks again at once. */
  readonly again: () => void;
}

/**
 * Asks the node, and again when the key changes. `follow`: also as blocks come. An answer that comes after the next
 * question is dropped.
 */
export function useQuery<Value>(key: string, ask: () => Promise<Value>, follow = false): Query<Value> {
  const [state, setState] = useState<{ key: string; value?: Value; error?: unknown }>({ key });
  const [round, setRound] = useState(0);
  const block = useStore(tick);
  useEffect(() => {
    let isWanted = true;
    ask().then(
      (value) => isWanted && setState({ key, value }),
      (error: unknown) => isWanted && setState((before) => ({ ...(before.key === key ? before : { key }), error })),
    );
    return () => {
      isWanted = false;
    };
  }, [key, round, follow ? block : 0]);
  const isCurrent = state.key === key;
  return {
    value: isCurrent ? state.value : undefined,
    error: isCurrent ? state.error : undefined,
    again: () => setRound((count) => count + 1),
  };
}
