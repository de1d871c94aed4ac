/** The dashboard's beginning. */
import { render } from "preact";
import { App } from "./app.tsx";
import { startLive } from "./state/live.ts";
import { discoverWallets } from "./wallet/injected.ts";

const root = document.getElementById("app");
if (root === null) throw new Error("the page has no place for the app");
startLive();
discoverWallets();
render(<App />, root);
