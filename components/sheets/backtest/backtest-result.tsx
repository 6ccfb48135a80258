"use client";

import Link from "next/link";
import type { Backtest, FiringChange } from "../../../server/contract/backtest.ts";
import { skipTexts, stopTexts } from "../../../server/shared/deliveries/describe-backtest.ts";
import { formatCount, formatNumber } from "../../../server/shared/format.ts";
import { visibleText } from "../../../server/shared/schema/visible-text.ts";
import { formatReason } from "../../../server/shared/deliveries/describe-reason.ts";
import { StatusBadge } from "../../ui/badges.tsx";
import { EmptyNote } from "../../ui/states.tsx";
import { firingChanges } from "../../ui/statuses.ts";
import { RelativeTime } from "../../ui/time.tsx";
import { SheetLink } from "../frame/sheet-link.tsx";

/** The firings that a build adds and removes, by trigger, each with its delivery and the reason. */
export function BacktestResult({ result, isOutdated }: { result: Backtest; isOutdated: boolean }) {
  const { compared, gained, lost, version, isComplete, triggers, notCompared } = result;
  const what = formatCount(compared, "delivery", "deliveries");
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {isOutdated && <p className="text-s text-wait">The build has changed in the meantime. Compare again.</p>}
      {compared === 0 ? (
        <EmptyNote title="No delivery to compare">No delivery of this period has a stored body.</EmptyNote>
      ) : gained + lost === 0 ? (
        <EmptyNote title="No difference">
          Build {version} fires the same triggers for {what}.
        </EmptyNote>
      ) : (
        <p role="status">
          Build <code>{version}</code> changes the firings of {what}: <Amount gained={gained} lost={lost} />.
        </p>
      )}
      {!isComplete && (
        <p className="text-s text-ink-3">
          Only the newest deliveries of the period were compared. <code>signalbox triggers test --since</code> compares
          all.
        </p>
      )}
      {triggers.map((trigger) => (
        <ChangedTrigger key={trigger.attachmentId} trigger={trigger} />
      ))}
      <NotCompared groups={notCompared} />
    </div>
  );
}

function Amount({ gained, lost }: { gained: number; lost: number }) {
  return (
    <strong className="whitespace-nowrap tabular-nums">
      <span className={gained > 0 ? "text-ok" : "text-ink-3"}>+{formatNumber(gained)}</span>{" "}
      <span className={lost > 0 ? "text-bad" : "text-ink-3"}>−{formatNumber(lost)}</span>
    </strong>
  );
}

function ChangedTrigger({
  trigger: { trigger, target, gained, lost, changes },
}: {
  trigger: Backtest["triggers"][number];
}) {
  const unlisted = gained + lost - changes.length;
  return (
    <section aria-label={`Differences of ${trigger}${target ? ` → ${target.slug}` : ""}`} className="min-w-0">
      <div className="mb-1.5 flex min-w-0 items-baseline justify-between gap-3">
        <h4 className="min-w-0 text-s font-semibold break-all">
          <SheetLink node={{ kind: "trigger", id: trigger }} className="hover:underline">
            {trigger}
          </SheetLink>{" "}
          {target && <span className="font-normal text-ink-3">→ {target.slug}</span>}
        </h4>
        <Amount gained={gained} lost={lost} />
      </div>
      <ul className="divide-y overflow-hidden rounded-m border">
        {changes.map((change) => (
          <Change key={change.deliveryId} change={change} />
        ))}
      </ul>
      {unlisted > 0 && <p className="mt-1 text-s text-ink-3">and {formatNumber(unlisted)} more</p>}
    </section>
  );
}

function Change({ change }: { change: FiringChange }) {
  return (
    <li className="border-line">
      <Link
        href={`/deliveries/${encodeURIComponent(change.deliveryId)}`}
        prefetch={false}
        title={change.deliveryId}
        className="grid min-h-9 grid-cols-[auto_minmax(0,1fr)_auto] items-baseline gap-2.5 px-2.5 py-1.5 -outline-offset-2 hover:bg-sunken"
      >
        <StatusBadge status={firingChanges[change.change]} />
        <span className="text-s break-words text-ink-2">{visibleText(describeChange(change), 300)}</span>
        <span className="text-s text-ink-3">
          <RelativeTime iso={change.receivedAt} />
        </span>
      </Link>
    </li>
  );
}

/** `then filter mismatch, /amount: expected ≥ 1000, was 12`. */
function describeChange({ change, outcome, reasons }: FiringChange): string {
  const [first, ...others] = reasons;
  const reason = first ? `, ${outcome === "rejected" ? first.message : formatReason(first)}` : "";
  const more = others.length > 0 ? ` (and ${others.length} more)` : "";
  return `${change === "gained" ? "then" : "now"} ${stopTexts[outcome]}${reason}${more}`;
}

function NotCompared({ groups }: { groups: Backtest["notCompared"] }) {
  if (groups.length === 0) return null;
  return (
    <section aria-label="Not compared">
      <h4 className="mb-1 text-s font-semibold">Not compared</h4>
      <ul className="grid gap-1 text-s text-ink-2">
        {groups.map(({ reason, code, deliveries, example }) => (
          <li key={`${reason} ${code}`} className="break-words">
            {formatCount(deliveries, "delivery", "deliveries")}: {skipTexts[reason]}
            {code !== null && ` (${code})`},{" "}
            <Link
              href={`/deliveries/${encodeURIComponent(example)}`}
              prefetch={false}
              className="text-accent underline"
            >
              newest
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
