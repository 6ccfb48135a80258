"use client";

import { X } from "lucide-react";
import { useQueryState } from "nuqs";
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useEffectEvent, useRef } from "react";
import type { Health } from "../../../server/contract/traffic.ts";
import { formatRelativeTime } from "../../../server/shared/format.ts";
import { StatusBadge, TargetIcon } from "../../ui/badges.tsx";
import { IconButton } from "../../ui/controls/button.tsx";
import { CopyButton } from "../../ui/controls/copy-button.tsx";
import { isFocusLost, isNowhere, keepFocus } from "../../ui/focus.ts";
import { Skeleton } from "../../ui/states.tsx";
import { approvalStatus, healths } from "../../ui/statuses.ts";
import { useNow } from "../../ui/time.tsx";
import type { SheetNode } from "./sheet-link.tsx";

/** The frame of every sheet: node, status, close button. Beside the canvas, or above it on a narrow screen. */
export function SheetFrame({
  node,
  status,
  onClose,
  children,
}: {
  node: SheetNode;
  status?: ReactNode;
  onClose: () => void;
  children: ReactNode;
}) {
  const { heading, onKeyDown } = useSheetFocus(node, onClose);
  const name = node.kind === "endpoint" ? `/triggers/${node.id}` : node.id;
  return (
    <aside
      aria-label={`${node.kind} ${node.id}`}
      onKeyDown={onKeyDown}
      className="flex min-h-0 flex-col bg-panel max-md:fixed max-md:inset-x-0 max-md:top-(--header-height) max-md:bottom-(--rail-height) max-md:z-20 md:h-full md:w-[clamp(400px,31vw,480px)] md:shrink-0 md:border-l"
    >
      <header className="shrink-0 px-[18px] pt-3 pb-1">
        <div className="flex min-h-7 items-center gap-2">
          {(node.kind === "agent" || node.kind === "workflow") && <TargetIcon kind={node.kind} />}
          <span className="text-xs tracking-[0.04em] text-ink-3 uppercase">{node.kind}</span>
          <span className="ml-auto min-w-0">{status}</span>
          <IconButton label="Close" icon={X} size="s" onClick={onClose} className="-mr-1.5" />
        </div>
        <div className="flex min-w-0 items-center gap-1">
          <h2
            ref={heading}
            tabIndex={-1}
            className="min-w-0 truncate font-mono text-l font-semibold outline-none"
            title={name}
          >
            {name}
          </h2>
          <CopyButton text={name} label={`Copy the name ${name}`} />
        </div>
      </header>
      <div className="flex min-h-0 flex-1 flex-col">{children}</div>
    </aside>
  );
}

/** The scrolling content below the tabs. A scrolling region must be reachable by keyboard. */
export function SheetBody({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div
      tabIndex={0}
      role="region"
      aria-label={label}
      className="grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)] content-start gap-5 overflow-x-hidden overflow-y-auto overscroll-contain px-[18px] py-4 -outline-offset-2"
    >
      {children}
    </div>
  );
}

export function SheetSection({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title} className="min-w-0">
      <div className="mb-1.5 flex min-h-6 items-center justify-between gap-3">
        <h3 className="text-s font-semibold">{title}</h3>
        {note !== undefined && <div className="text-s text-ink-3">{note}</div>}
      </div>
      {children}
    </section>
  );
}

/** Names and values, one per line. Omits `null` values. */
export function SheetFacts({ facts }: { facts: (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(80px,auto)_minmax(0,1fr)] gap-x-5 gap-y-1.5">
      {facts
        .filter(([, value]) => value !== null)
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-3">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Loading state of an overview. */
export function SheetSkeleton({ label }: { label: string }) {
  return (
    <div role="status" aria-label={label} className="grid gap-5 px-[18px] py-4">
      {[3, 2, 4].map((lines) => (
        <div key={lines} className="grid gap-2.5">
          <Skeleton className="h-3 w-24 rounded-full" />
          <span className="animate-pulse rounded-m border bg-sunken" style={{ height: lines * 24 }} />
        </div>
      ))}
    </div>
  );
}

/**
 * Moves the focus into the sheet when it opens, and back when it closes. `Esc` closes the sheet. In a field, the first
 * `Esc` only leaves the field, so that no input is lost.
 */
function useSheetFocus(
  node: SheetNode,
  onClose: () => void,
): { heading: RefObject<HTMLHeadingElement | null>; onKeyDown: (event: KeyboardEvent) => void } {
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef<HTMLElement | null>(null);
  const { kind, id } = node;

  useEffect(() => {
    const active = document.activeElement;
    const sheet = heading.current?.closest("aside");
    if (active instanceof HTMLElement && !isNowhere(active) && !sheet?.contains(active)) before.current = active;
    heading.current?.focus({ preventScroll: true });
  }, []);

  useEffect(() => {
    return () => {
      if (!isFocusLost()) return;
      // After opening by a link, nothing had the focus before: focus the node itself.
      const origin = before.current?.isConnected ? before.current : nodeLink(`${kind}:${id}`);
      origin?.focus({ preventScroll: true });
      keepFocus();
    };
  }, [kind, id]);

  // After a click on the canvas background nothing has the focus. Esc still closes the sheet.
  const closeFromNowhere = useEffectEvent(onClose);
  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent) => {
      if (
        event.key === "Escape" &&
        isNowhere(event.target) &&
        !event.defaultPrevented &&
        !document.querySelector("dialog:modal")
      )
        closeFromNowhere();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || isInsideOverlay(event)) return;
    event.stopPropagation();
    if (isField(event.target)) heading.current?.focus({ preventScroll: true });
    else onClose();
  };
  return { heading, onKeyDown };
}

/** The node's link on the canvas, if rendered. */
function nodeLink(node: string): HTMLElement | null {
  return document.querySelector(`[data-node=${CSS.escape(node)}] a[data-node-link]`);
}

/** Dialogs and menus opened from the sheet handle `Esc` themselves. React events bubble through portals. */
function isInsideOverlay(event: KeyboardEvent): boolean {
  return event.target instanceof Element && event.target.closest("dialog, [role=menu]") !== null;
}

function isField(target: EventTarget): boolean {
  return (
    target instanceof Element &&
    target.matches("textarea, input:not([type=radio], [type=checkbox]), [contenteditable=true]")
  );
}

interface Props {
  /** `null`: not loaded yet. */
  summary: string | null;
  lastAt: string | null;
  health: Health;
  /** The word for a failure: `failed`, `rejected`. */
  failureWord?: string;
  waitingForApproval?: number;
}

/** The status in one line: `388 fired · last 12 s ago`, `12 runs · most failed · last 3 min ago`. */
export function TrafficPill({ summary, lastAt, health, failureWord = "failed", waitingForApproval = 0 }: Props) {
  const now = useNow();
  if (summary === null) return <span className="block h-[18px] w-32 animate-pulse rounded-full bg-sunken" />;
  const faults = healths[health].label;
  const waiting =
    waitingForApproval > 0 ? `${waitingForApproval} ${waitingForApproval === 1 ? "waits" : "wait"} for approval` : null;
  const parts = [
    summary,
    waiting ?? (faults && `${faults} ${failureWord}`),
    lastAt && `last ${formatRelativeTime(lastAt, now)}`,
  ];
  return <StatusBadge status={waiting ? approvalStatus : healths[health]} label={parts.filter(Boolean).join(" · ")} />;
}

/** The selected tab, stored in the URL. The first tab has no URL parameter; an unknown value selects the first tab. */
export function useSheetTab<Id extends string>(ids: readonly [Id, ...Id[]]): [Id, (id: string) => void] {
  const [tab, setTab] = useQueryState("tab");
  const selected = ids.find((id) => id === tab) ?? ids[0];
  return [selected, (id) => void setTab(id === ids[0] ? null : id)];
}
