/** Line icons on a grid of 24, drawn here: no font, no sprite, nothing to fetch. */
import type { JSX } from "preact";

const PATHS = {
  network: "M4 19V9m5 10V5m5 14v-7m5 7V8",
  explorer: "M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 12l8-4.5M12 12v9M12 12L4 7.5",
  validators: "M12 3l7 3v5c0 5-3 8.5-7 10-4-1.5-7-5-7-10V6zM9 12l2 2 4-4",
  governance: "M4 20h16M6 20v-9M10 20v-9M14 20v-9M18 20v-9M3 10l9-6 9 6z",
  client: "M12 15V4m0 0L8 8m4-4l4 4M4 15v4h16v-4",
  provider: "M7 7h10v10H7zM10 10h4v4h-4zM9 3v4M15 3v4M9 17v4M15 17v4M3 9h4M3 15h4M17 9h4M17 15h4",
  monitoring: "M3 12h4l3-8 4 16 3-8h4",
  search: "M11 4a7 7 0 100 14 7 7 0 000-14zM16 16l4 4",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  check: "M5 13l4 4L19 7",
  moon: "M20 14A8 8 0 0110 4a8 8 0 1010 10z",
  sun: "M12 8a4 4 0 100 8 4 4 0 000-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  wallet: "M4 7h14a2 2 0 012 2v9a2 2 0 01-2 2H6a2 2 0 01-2-2zM4 7l11-4v4M16 13h.01",
  shield: "M12 3l7 3v5c0 5-3 8.5-7 10-4-1.5-7-5-7-10V6z",
  alert: "M12 4l9 16H3zM12 10v4M12 17h.01",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor">
      <path d={PATHS[name]} stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}
