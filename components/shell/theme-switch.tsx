"use client";

import { type LucideIcon, Monitor, Moon, Sun } from "lucide-react";
import { useSyncExternalStore } from "react";
import { Menu } from "../ui/menu.tsx";
import { type Theme, chooseTheme, readTheme, themes, watchTheme } from "./theme.ts";

const faces: Record<Theme, { icon: LucideIcon; label: string }> = {
  light: { icon: Sun, label: "Light" },
  dark: { icon: Moon, label: "Dark" },
  system: { icon: Monitor, label: "System" },
};

/** Theme menu: light, dark, or the theme of the operating system. */
export function ThemeSwitch() {
  const theme = useSyncExternalStore(watchTheme, readTheme, (): Theme => "system");
  const { icon: Icon, label } = faces[theme];
  const items = themes.map((one) => ({
    id: one,
    label: faces[one].label,
    icon: faces[one].icon,
    isChosen: one === theme,
    onSelect: () => chooseTheme(one),
  }));
  return (
    <Menu label={`Theme: ${label}`} items={items} tone="quiet" isBare>
      <Icon aria-hidden size={16} />
    </Menu>
  );
}
