/** What stands around every page: menu, search, wallet, and whether the node is there. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { formatCount } from "../format/amounts.ts";
import iconUrl from "../icon.svg";
import { formatRoute, type PageName, type Route } from "../router/route.ts";
import { goTo } from "../router/use-route.ts";
import { connectionState, recentBlocks, status } from "../state/live.ts";
import { connection } from "../state/node.ts";
import { useStore } from "../state/use-store.ts";
import { hideToast, toasts } from "../wallet/toasts.ts";
import { Icon, type IconName } from "./icons.tsx";
import { ThemeToggle } from "./theme-toggle.tsx";
import { WalletButton } from "./wallet-button.tsx";

interface MenuItem {
  readonly page: "network" | "explorer" | "client" | "provider" | "validators" | "governance" | "monitoring";
  readonly name: string;
  /** Pages that belong to it. */
  readonly also: readonly PageName[];
}

const MENU: readonly MenuItem[] = [
  { page: "network", name: "Network", also: [] },
  { page: "explorer", name: "Explorer", also: ["block", "transaction", "account", "search"] },
  { page: "client", name: "Client", also: ["job"] },
  { page: "provider", name: "Provider", also: ["provider-detail"] },
  { page: "validators", name: "Validators", also: ["validator"] },
  { page: "governance", name: "Governance", also: ["proposal"] },
  { page: "monitoring", name: "Monitoring", also: [] },
];

export function Shell({
  route,
  children,
}: {
  readonly route: Route;
  readonly children: ComponentChildren;
}): JSX.Element {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const path = formatRoute(route);
  const isFirst = useRef(true);
  useEffect(() => {
    setMenuOpen(false);
    if (!isFirst.current) {
      // As a browser does for a new page: readers begin at its top.
      main.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    isFirst.current = false;
  }, [path]);
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => key === "Escape" && setMenuOpen(false);
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return (
    <div class="shell">
      <a
        class="skip"
        href={path}
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the page
      </a>
      <header class="side" id="menu" data-open={isMenuOpen}>
        <a class="brand" href="#/network">
          <img src={iconUrl} alt="" />
          OpenGPU
        </a>
        <nav class="menu" aria-label="Pages">
          {MENU.map(({ page, name, also }) => (
            <a
              key={page}
              href={formatRoute({ page })}
              aria-current={route.page === page || also.includes(route.page) ? "page" : undefined}
            >
              <Icon name={page satisfies IconName} />
              {name}
            </a>
          ))}
        </nav>
        <SideFoot />
      </header>
      <div class="top">
        <ConnectionBanner />
        <button
          type="button"
          class="button icon menu-button"
          aria-label="Menu"
          aria-expanded={isMenuOpen}
          aria-controls="menu"
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          <Icon name="menu" />
        </button>
        <Search />
        <div class="top-right">
          <ThemeToggle />
          <WalletButton />
        </div>
      </div>
      <main ref={main} tabIndex={-1}>
        {children}
      </main>
      <Toasts />
    </div>
  );
}

function ConnectionBanner(): JSX.Element | null {
  if (useStore(connectionState) !== "lost") return null;
  return (
    <div class="banner" role="alert">
      Connection lost, trying again. What you see may be old.
      <button type="button" class="button small" onClick={() => connection.retry()}>
        Try now
      </button>
    </div>
  );
}

function SideFoot(): JSX.Element {
  const state = useStore(connectionState);
  const current = useStore(status);
  const height = useStore(recentBlocks).at(-1)?.number;
  const words = { open: "Connected", connecting: "Connecting", lost: "Disconnected" }[state];
  return (
    <footer class="side-foot">
      <span class="row">
        <span class={`dot ${state === "open" ? "good" : state === "lost" ? "bad" : "warn"}`} />
        {words}
        {current !== undefined && ` to ${current.network}`}
      </span>
      {height !== undefined && <span>Block {formatCount(height)}</span>}
      {current !== undefined && (
        <span title={current.clientVersion}>{current.clientVersion.split("/").slice(0, 2).join(" ")}</span>
      )}
    </footer>
  );
}

function Search(): JSX.Element {
  const [text, setText] = useState("");
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() === "") return;
          goTo({ page: "search", text: text.trim() });
          setText("");
        }}
      >
        <div class="search">
          <Icon name="search" />
          <input
            class="input"
            type="search"
            aria-label="Search by height, hash, address or job number"
            placeholder="Height, hash, address or job"
            autocomplete="off"
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </div>
      </form>
    </search>
  );
}

function Toasts(): JSX.Element {
  const shown = useStore(toasts);
  return (
    <div class="toasts" aria-live="polite">
      {shown.map(({ id, tone, title, detail, hash }) => (
        <div key={id} class={`toast ${tone}`} role={tone === "bad" ? "alert" : "status"}>
          <div>
            <strong>{title}</strong>
            <div class="soft small">
              {detail} {hash !== undefined && <a href={formatRoute({ page: "transaction", hash })}>Look at it</a>}
            </div>
          </div>
          <button type="button" class="copy" aria-label="Dismiss" onClick={() => hideToast(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
