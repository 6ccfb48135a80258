"use client";

import { X } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { TargetIcon } from "../ui/target-icon.tsx";
import type { SheetNode } from "./sheet-node.ts";
import { useSheetFocus } from "./use-sheet-focus.ts";

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
      <div className="flex min-h-0 flex-1 flex-col [&>[role=tablist]]:px-[18px]">{children}</div>
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
          <span className="h-3 w-24 animate-pulse rounded-full bg-sunken" />
          <span className="animate-pulse rounded-m border bg-sunken" style={{ height: lines * 24 }} />
        </div>
      ))}
    </div>
  );
}
