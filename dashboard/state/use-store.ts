import { useEffect, useState } from "preact/hooks";
import type { Store } from "./store.ts";

export function useStore<Value>(store: Store<Value>): Value {
  const [, redraw] = useState({});
  useEffect(() => store.subscribe(() => redraw({})), [store]);
  return store.value;
}
