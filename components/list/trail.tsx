"use client";

import { useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronUp } from "lucide-react";
import { useRouter } from "next/navigation";
import { useEffect, useEffectEvent, useMemo } from "react";
import type { Page } from "../../server/contract/list.ts";
import { hasSingleKeys } from "../ui/shortcuts.ts";
import { useIsHydrated } from "../ui/browser.ts";
import { IconButton } from "../ui/controls/button.tsx";
import { isTyping } from "../ui/focus.ts";

/** The list from which the reader opened a row: its URL with the filters, and the ids of its rows, newest first. */
interface Trail {
  href: string;
  ids: readonly string[];
}

const maxIds = 1_000;
const nearRows = 50;
const noIds: readonly string[] = [];

const storageKey = (page: string) => `signalbox.trail:${page}`;

/** Stores the rows of the list on this page, when the reader opens one of them. */
export function rememberTrail(ids: readonly string[]): void {
  const trail: Trail = { href: location.pathname + location.search, ids: ids.slice(0, maxIds) };
  try {
    sessionStorage.setItem(storageKey(location.pathname), JSON.stringify(trail));
  } catch {
    // Without storage, the neighbours of a page are those of the unfiltered list.
  }
}

/**
 * The list of a run or a delivery, and the ids around it. These are from the list that the reader came from, or from
 * the unfiltered list around the time `at`.
 */
export function useNear({
  page,
  id,
  at,
  fetch,
}: {
  page: string;
  id: string;
  at: string;
  fetch: (range: { since?: string; until?: string; limit: number }) => Promise<Page<{ id: string }>>;
}): Trail {
  const isHydrated = useIsHydrated();
  const trail = useMemo(() => (isHydrated ? readTrail(page, id) : undefined), [isHydrated, page, id]);
  const around = useQuery({
    queryKey: ["near", page, id],
    queryFn: async () => {
      const [newer, older] = await Promise.all([
        fetch({ since: at, limit: nearRows }),
        // Rows of the same millisecond are older or newer.
        fetch({ until: new Date(Date.parse(at) + 1).toISOString(), limit: nearRows }),
      ]);
      // If there is more than one page of newer rows, the nearest of them is unknown.
      const rows = [...(newer.nextCursor === null ? newer.data : []), ...older.data];
      return [...new Set(rows.map((row) => row.id))];
    },
    enabled: trail === null,
    staleTime: Infinity,
    meta: { live: false },
  });
  return trail ?? { href: page, ids: around.data ?? noIds };
}

/** `null`: the reader did not come from a list with this row. */
function readTrail(page: string, id: string): Trail | null {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storageKey(page)) ?? "null");
    const [href, ids] = ["href", "ids"].map((key): unknown => Reflect.get(Object(stored), key));
    if (typeof href !== "string" || !Array.isArray(ids) || !ids.includes(id)) return null;
    return { href, ids: ids.filter((one) => typeof one === "string") };
  } catch {
    return null;
  }
}

/** Buttons to the previous and the next row of a list (`k` and `j`). They replace the page: Back leads to the list. */
export function NeighbourButtons({
  page,
  noun,
  id,
  ids,
}: {
  page: string;
  noun: string;
  id: string;
  ids: readonly string[];
}) {
  const router = useRouter();
  const at = ids.indexOf(id);
  const [previous, next] = at < 0 ? [] : [ids[at - 1], ids[at + 1]];
  const go = (to: string | undefined) => {
    if (to !== undefined) router.replace(`${page}/${encodeURIComponent(to)}`);
  };
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (!hasSingleKeys() || isTyping(event) || document.querySelector("dialog:modal")) return;
    if (event.key === "k") go(previous);
    if (event.key === "j") go(next);
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  return (
    <>
      <IconButton
        label={`Newer ${noun} (k)`}
        icon={ChevronUp}
        disabled={previous === undefined}
        onClick={() => go(previous)}
      />
      <IconButton
        label={`Older ${noun} (j)`}
        icon={ChevronDown}
        disabled={next === undefined}
        onClick={() => go(next)}
      />
    </>
  );
}
