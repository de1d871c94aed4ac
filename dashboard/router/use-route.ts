import { useEffect, useState } from "preact/hooks";
import { formatRoute, parseRoute, type Route } from "./route.ts";

export function useRoute(): Route {
  const [route, setRoute] = useState<Route>(() => parseRoute(location.hash));
  useEffect(() => {
    const onChange = () => setRoute(parseRoute(location.hash));
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return route;
}

export function goTo(route: Route): void {
  location.hash = formatRoute(route);
}

/** Without a step back: for an address that only leads on. */
export function replaceRoute(route: Route): void {
  location.replace(formatRoute(route));
}
