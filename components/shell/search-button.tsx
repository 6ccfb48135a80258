"use client";

import { Search } from "lucide-react";
import { useOpen } from "./keyboard.tsx";
import { useModKey } from "../ui/browser.ts";

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
