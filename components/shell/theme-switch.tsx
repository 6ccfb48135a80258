"use client";

import { Monitor, Moon, Sun } from "lucide-react";
import { useSyncExternalStore } from "react";
import { type Theme, chooseTheme, readTheme, themes, watchTheme } from "./theme.ts";

const faces: Record<Theme, { icon: typeof Sun; label: string }> = {
  system: { icon: Monitor, label: "as the system" },
  light: { icon: Sun, label: "light" },
  dark: { icon: Moon, label: "dark" },
};

/** One button that goes round: as the system, light, dark. */
export function ThemeSwitch() {
  const theme = useSyncExternalStore(watchTheme, readTheme, (): Theme => "system");
  const { icon: Icon, label } = faces[theme];
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
  return (
    <button
      type="button"
      onClick={() => chooseTheme(next)}
      aria-label={`Theme: ${label}. Change to: ${faces[next].label}`}
      title={`Theme: ${label}`}
      className="grid size-8 cursor-pointer place-items-center rounded-m text-ink-2 hover:bg-sunken hover:text-ink"
    >
      <Icon aria-hidden size={16} />
    </button>
  );
}
