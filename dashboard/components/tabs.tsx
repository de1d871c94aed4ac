import type { JSX } from "preact";
import { useRef } from "preact/hooks";

interface TabsProps<Tab extends string> {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly chosen: Tab;
  readonly onChoose: (tab: Tab) => void;
}

/** Arrow keys go from one to the next, as everywhere. */
export function Tabs<Tab extends string>({ label, tabs, chosen, onChoose }: TabsProps<Tab>): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  const move = (step: number) => {
    const next = tabs[(tabs.indexOf(chosen) + step + tabs.length) % tabs.length] ?? chosen;
    onChoose(next);
    list.current?.querySelectorAll("button")[tabs.indexOf(next)]?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} ref={list}>
      {tabs.map((tab) => (
        <button
          key={tab}
          type="button"
          role="tab"
          aria-selected={tab === chosen}
          tabIndex={tab === chosen ? 0 : -1}
          onClick={() => onChoose(tab)}
          onKeyDown={({ key }) => (key === "ArrowRight" ? move(1) : key === "ArrowLeft" && move(-1))}
        >
          {tab}
        </button>
      ))}
    </div>
  );
}
