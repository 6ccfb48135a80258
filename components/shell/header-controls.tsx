"use client";

import { CirclePause, LogIn, type LucideIcon, Monitor, Moon, Radio, RotateCw, Search, Sun } from "lucide-react";
import { useSyncExternalStore } from "react";
import { useQuery } from "@tanstack/react-query";
import type { FailedBuild } from "../../server/contract/project/failed-build.ts";
import { type Liveness, useLiveness } from "../live/live.tsx";
import { useTRPC } from "../trpc/trpc.ts";
import { StatusBadge } from "../ui/badges.tsx";
import { useModKey } from "../ui/browser.ts";
import { Menu } from "../ui/overlays/menu.tsx";
import type { StatusStyle } from "../ui/statuses.ts";
import { FailedBuildPill } from "./failed-build.tsx";
import { useOpen } from "./keyboard.tsx";
import { chooseTheme, readTheme, type Theme, themes, watchTheme } from "../ui/theme.ts";

const liveStates: Record<Liveness, StatusStyle & { hint: string }> = {
  live: { label: "live", icon: Radio, tone: "ok", hint: "This page updates live." },
  connecting: { label: "connecting", icon: RotateCw, tone: "idle", hint: "Connecting to the live updates." },
  reconnecting: {
    label: "reconnecting",
    icon: RotateCw,
    tone: "wait",
    hint: "The service is not responding. The data may be a moment old.",
  },
  "signed-out": {
    label: "signed out · sign in",
    icon: LogIn,
    tone: "bad",
    hint: "Your session ended, your token expired or was revoked, or you signed out elsewhere. The page shows older data. Sign in to return to it.",
  },
  paused: {
    label: "live paused",
    icon: CirclePause,
    tone: "bad",
    hint: "The service is not responding. The page shows older data and retries every 2 seconds.",
  },
};

/** The state of live updates, and the build that the page shows. `failedBuild`: the state at rendering. */
export function LivePill({ version, failedBuild }: { version: string; failedBuild: FailedBuild | null }) {
  const liveness = useLiveness();
  const options = useTRPC().project.failedBuild.queryOptions(undefined, { initialData: failedBuild });
  const { data: failed } = useQuery(options);
  const state = liveStates[liveness];
  const badge = (
    <StatusBadge status={state} label={liveness === "live" ? `live · v ${version.slice(0, 6)}` : state.label} />
  );
  return (
    <span role="status" className="flex" title={`${state.hint}\nBuild ${version}`}>
      {failed && (liveness === "live" || liveness === "connecting") ? (
        <FailedBuildPill failed={failed} version={version} />
      ) : liveness === "signed-out" ? (
        <a href="">{badge}</a>
      ) : (
        badge
      )}
    </span>
  );
}

/** Opens the search. Looks like a search field; on narrow screens only an icon. */
export function SearchButton() {
  const open = useOpen();
  const mod = useModKey();
  return (
    <button
      type="button"
      onClick={() => open("search")}
      aria-haspopup="dialog"
      aria-keyshortcuts="Meta+K Control+K"
      className="flex size-8 shrink-0 cursor-pointer items-center justify-center gap-2 rounded-m text-ink-2 hover:bg-sunken sm:h-[30px] sm:w-[clamp(200px,38vw,340px)] sm:justify-start sm:border sm:bg-sunken sm:px-2.5 sm:text-ink-3 sm:hover:border-line-strong sm:hover:text-ink-2"
    >
      <Search aria-hidden size={15} className="shrink-0" />
      <span className="sr-only sm:hidden">Search</span>
      <span className="hidden min-w-0 flex-1 truncate text-left sm:block">Search triggers, runs, deliveries…</span>
      <kbd
        aria-hidden
        className={`hidden shrink-0 rounded-s border border-line-strong bg-panel px-1.5 text-xs font-medium text-ink-2 sm:block ${mod ? "" : "invisible"}`}
      >
        {mod === "⌘" ? "⌘K" : "Ctrl K"}
      </kbd>
    </button>
  );
}

const themeOptions: Record<Theme, { icon: LucideIcon; label: string }> = {
  light: { icon: Sun, label: "Light" },
  dark: { icon: Moon, label: "Dark" },
  system: { icon: Monitor, label: "System" },
};

/** Theme menu: light, dark, or the theme of the operating system. */
export function ThemeSwitch() {
  const theme = useSyncExternalStore(watchTheme, readTheme, (): Theme => "system");
  const { icon: Icon, label } = themeOptions[theme];
  const items = themes.map((one) => ({
    id: one,
    label: themeOptions[one].label,
    icon: themeOptions[one].icon,
    isChosen: one === theme,
    onSelect: () => chooseTheme(one),
  }));
  return (
    <Menu label={`Theme: ${label}`} items={items} tone="quiet" isBare>
      <Icon aria-hidden size={16} />
    </Menu>
  );
}
