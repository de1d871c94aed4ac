import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Notice } from "./layout.tsx";

/** A component whose code is fetched when it is first shown. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): (props: Props) => JSX.Element {
  let loaded: ComponentType<Props> | undefined;
  return (props) => {
    const [state, setState] = useState<"waiting" | "there" | "failed">(loaded === undefined ? "waiting" : "there");
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then(
        (component) => {
          loaded = component;
          setState("there");
        },
        () => setState("failed"),
      );
    }, []);
    const Component = loaded;
    if (Component !== undefined) return <Component {...props} />;
    if (state === "waiting") return <div aria-busy="true" class="empty" />;
    return <Notice tone="bad">This part of the page could not be loaded. Load the page again.</Notice>;
  };
}
