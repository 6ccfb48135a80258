"use client";

import { usePathname } from "next/navigation";
import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";

/** Where the reader left a page. */
interface Position {
  top: number;
  /** Of a list: the rows on top; newer ones had not been shown. */
  shownKeys: readonly string[] | null;
  /** Of a list: the row with the keyboard focus. */
  focused: string | null;
}

/** The time after "back" or a reload in which the position is restored, while the page grows. */
const returnMs = 20_000;

/** The maximum position that is restored. */
const maxRestoredPx = 22_000;

const storageKey = "signalbox.page-position";
const start: Position = { top: 0, shownKeys: null, focused: null };
const positions = new Map<string, Position>();
/** The return in progress; `null`: the reader has gone on, or opened a new page. */
let returning: { to: Position; until: number; isThere: boolean } | null = null;

const here = () => location.pathname + location.search;

if (typeof window !== "undefined") {
  const goBackTo = (to: Position | null | undefined) => {
    returning = to ? { to, until: performance.now() + returnMs, isThere: false } : null;
  };
  goBackTo(readAfterReload());
  // Before the router handles it, which renders the page at once.
  addEventListener("popstate", () => goBackTo(positions.get(here()) ?? start), { capture: true });
  addEventListener("pagehide", keepForReload);
  // Any input of the reader ends the return.
  for (const input of ["wheel", "touchstart", "pointerdown", "keydown"])
    addEventListener(input, () => goBackTo(null), { capture: true, passive: true });
}

/** The position to restore after "back" or a reload; `null`: a new visit. */
export function returnPosition(): Position | null {
  return returning && performance.now() < returning.until ? returning.to : null;
}

/** Remembers a part of the position of the current page. */
export function rememberPosition(change: Partial<Position>): void {
  positions.set(here(), { ...start, ...positions.get(here()), ...change });
}

/** The element that scrolls the page. The window itself never scrolls. */
export function pageScroller(): HTMLElement | null {
  return document.getElementById("content");
}

/** The distance of an element from the top of the visible part of the page, px. */
export function topInPage(element: Element | null): number {
  return (element?.getBoundingClientRect().top ?? 0) - (pageScroller()?.getBoundingClientRect().top ?? 0);
}

/**
 * The content of every page, between header and navigation. It scrolls inside the shell. A new page starts at its top;
 * "back" and a reload restore the position, as soon as the page has grown to it.
 */
export function PageScroll({ children }: { children: ReactNode }) {
  const scroller = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const path = usePathname();
  const before = useRef<string | null>(null);
  useLayoutEffect(() => {
    if (before.current === path) return;
    before.current = path;
    if (returnPosition()) restore();
    else if (location.hash === "") scroller.current?.scrollTo({ top: 0 });
  }, [path]);
  useEffect(() => {
    const { current } = scroller;
    if (!current || !content.current) return;
    const onScroll = () => rememberPosition({ top: current.scrollTop });
    const observer = new ResizeObserver(restore);
    observer.observe(content.current);
    current.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      observer.disconnect();
      current.removeEventListener("scroll", onScroll);
    };
  }, []);
  return (
    <main
      ref={scroller}
      id="content"
      tabIndex={-1}
      className="relative min-h-0 min-w-0 flex-1 overflow-y-auto outline-none print:overflow-visible"
    >
      <div ref={content} className="grid min-h-full grid-cols-[minmax(0,1fr)]">
        {children}
      </div>
    </main>
  );
}

/** The rows of a list are rendered late, and older pages are loaded when the reader scrolls near them. */
function restore(): void {
  const scroller = pageScroller();
  const position = returnPosition();
  if (!scroller || !position || !returning || returning.isThere) return;
  const top = Math.min(position.top, maxRestoredPx);
  scroller.scrollTo({ top });
  returning.isThere = scroller.scrollTop >= top - 1;
}

/** Rows that waited above are not stored: after a reload, the list starts with the newest row. */
function keepForReload(): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify({ at: here(), top: pageScroller()?.scrollTop ?? 0 }));
  } catch {
    // Without storage, a reload starts at the top.
  }
}

function readAfterReload(): Position | null {
  try {
    const [entry] = performance.getEntriesByType("navigation");
    const isAgain =
      entry instanceof PerformanceNavigationTiming && (entry.type === "reload" || entry.type === "back_forward");
    const kept: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? "null");
    if (!isAgain || typeof kept !== "object" || kept === null) return null;
    const { at, top } = Object.assign({ at: null, top: null }, kept);
    return at === here() && typeof top === "number" && top > 0 ? { ...start, top } : null;
  } catch {
    return null;
  }
}
