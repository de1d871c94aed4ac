import { useEffect, useRef, useState } from "preact/hooks";
import { tick } from "./live.ts";
import { useStore } from "./use-store.ts";

export interface Query<Value> {
  /** The last answer; it stays while the next is asked for. */
  readonly value: Value | undefined;
  readonly error: unknown;
  /** Asks again at once. */
  readonly again: () => void;
}

interface Asked<Value> {
  readonly key: string;
  /** Which question this answers: they count up, and an earlier one's answer never replaces a later one's. */
  readonly question: number;
  readonly value?: Value;
  readonly error?: unknown;
}

/**
 * Asks the node, and again when the key changes. `follow`: also as blocks come, and so does a question that failed. An
 * answer counts though the next question is out already: a node that needs longer than a block would else never be heard.
 */
export function useQuery<Value>(key: string, ask: () => Promise<Value>, follow = false): Query<Value> {
  const [state, setState] = useState<Asked<Value>>({ key, question: 0 });
  const [round, setRound] = useState(0);
  const block = useStore(tick);
  const asked = useRef({ key, count: 0, isGone: false });
  const isCurrent = state.key === key;
  const failed = isCurrent && state.error !== undefined;
  useEffect(() => {
    const { current } = asked;
    current.key = key;
    const question = ++current.count;
    const answer = (part: { value: Value } | { error: unknown }): void => {
      if (current.isGone || current.key !== key) return;
      setState((before) => {
        if (before.key !== key) return { key, question, ...part };
        return before.question > question ? before : { ...("error" in part ? before : {}), key, question, ...part };
      });
    };
    ask().then(
      (value) => answer({ value }),
      (error: unknown) => answer({ error }),
    );
  }, [key, round, follow || failed ? block : 0]);
  useEffect(
    () => () => {
      asked.current.isGone = true;
    },
    [],
  );
  return {
    value: isCurrent ? state.value : undefined,
    error: isCurrent ? state.error : undefined,
    again: () => setRound((count) => count + 1),
  };
}
