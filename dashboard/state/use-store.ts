import { useEffect, useState } from "preact/hooks";
import type { Store } from "./store.ts";

export function useStore<Value>(store: Store<Value>): Value {
  const [, redraw] = useState({});
  const { value } = store;
  useEffect(() => {
    // Effects run after the page is painted: a change in between was told to nobody.
    if (!Object.is(store.value, value)) redraw({});
    return store.subscribe(() => redraw({}));
  }, [store]);
  return value;
}
