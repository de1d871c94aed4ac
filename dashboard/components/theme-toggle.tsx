import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon } from "./icons.tsx";

const KEY = "ogpu-theme";

type Theme = "light" | "dark";

function systemTheme(): Theme {
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function storedTheme(): Theme | undefined {
  const stored = localStorage.getItem(KEY);
  return stored === "light" || stored === "dark" ? stored : undefined;
}

/** Follows the system until somebody chooses. */
export function ThemeToggle(): JSX.Element {
  const [theme, setTheme] = useState<Theme>(() => storedTheme() ?? systemTheme());
  useEffect(() => {
    if (theme === systemTheme()) delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = theme;
    if (theme === systemTheme()) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
    dispatchEvent(new Event("ogpu-theme"));
  }, [theme]);
  const other = theme === "dark" ? "light" : "dark";
  return (
    <button type="button" class="button icon" aria-label={`Switch to ${other} colours`} onClick={() => setTheme(other)}>
      <Icon name={theme === "dark" ? "sun" : "moon"} />
    </button>
  );
}
