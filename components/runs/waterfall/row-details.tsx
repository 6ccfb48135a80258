"use client";

import { useQuery } from "@tanstack/react-query";
import { formatBytes, formatUtc } from "../../../server/shared/format.ts";
import { JsonView } from "../../json/json-view.tsx";
import { PlainText } from "../../json/plain-text.tsx";
import { useTRPC } from "../../trpc/trpc.ts";
import { ShortId } from "../../ui/controls/copy-button.tsx";
import { Facts } from "../../ui/page-layout.tsx";
import { ErrorNote, Skeleton } from "../../ui/states.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { ErrorDetails } from "../detail/error-details.tsx";
import { AwaitedEvents } from "../detail/awaited-events.tsx";
import { useRevealedStep } from "../detail/revealed-run.tsx";
import { describeError } from "../detail/run-errors.ts";
import { RunBadge } from "../run-badge.tsx";
import { durationOf, offsetOf, stateText } from "./row-labels.ts";
import { type ChildOfRow, readChild, readDelivery, readEvents, readTries, type WaterfallRow } from "./waterfall.ts";

const boxClass = "mb-3 overflow-hidden rounded-m border bg-panel";

/** The details of a row: exact times, the result of a step, an error with its source line, a log line with its data. */
export function RowDetails({ runId, row, from, now }: { runId: string; row: WaterfallRow; from: number; now: number }) {
  const { entry, end } = row;
  const ending = end ?? entry;
  const tries = row.kind === "step" ? readTries(ending) : null;
  const nextTry = row.kind === "step" && ending.kind === "step_failed" ? ending.until : null;
  const events = row.kind === "wait" ? readEvents(row) : [];
  const delivery = readDelivery(row);
  const child = readChild(row);
  const hasResult =
    entry.name !== null && (ending.kind === "step_completed" || row.kind === "reused" || delivery !== null);
  return (
    <div role="group" aria-label={`Details of ${row.label}`} className="border-y bg-sunken px-4 pt-1 md:pl-8">
      <Facts
        facts={[
          [row.spans.length > 0 ? "started" : "at", <Moment key="began" at={row.at} from={from} />],
          [
            "ended",
            row.spans.length > 0 && row.endedAt !== null ? <Moment key="ended" at={row.endedAt} from={from} /> : null,
          ],
          [
            row.endedAt === null ? "waits for" : "waited for",
            events.length > 0 && <AwaitedEvents key="events" events={events} />,
          ],
          [
            "delivery",
            delivery && (
              <ShortId
                key="delivery"
                id={delivery.deliveryId}
                href={`/deliveries/${encodeURIComponent(delivery.deliveryId)}`}
              />
            ),
          ],
          ["child run", child && <ChildRun key="child" child={child} />],
          [
            row.kind === "wait" || row.kind === "child" ? "timeout" : "scheduled end",
            row.until === null ? null : <Moment key="until" at={row.until} from={from} />,
          ],
          ["duration", row.endedAt === null ? null : durationOf(row, now)],
          [child ? "call" : "state", stateText(row)],
          ["attempt", row.entry.attempt > 0 ? row.entry.attempt : null],
          ["try", tries && `${tries.number} of ${tries.max}`],
          ["next try", nextTry && <Moment key="next" at={Date.parse(nextTry)} from={from} />],
          ["level", row.entry.level],
        ]}
      />
      {entry.message && (
        <p className="mb-3 max-h-80 overflow-auto font-mono text-s break-words whitespace-pre-wrap">
          <PlainText text={entry.message} />
        </p>
      )}
      {ending.error && row.state === "failed" && (
        <div className={boxClass}>
          <ErrorDetails failure={describeError(ending, ending.error)} />
        </div>
      )}
      {hasResult && entry.name !== null && <StepResult runId={runId} name={entry.name} />}
      {entry.kind === "log" && entry.data !== null && (
        <div className={boxClass}>
          <JsonView
            text={JSON.stringify(entry.data)}
            label="Data of the log line"
            copyLabel="Copy the data"
            maxHeight={320}
          />
        </div>
      )}
    </div>
  );
}

/** A child run with its status now: it may be open after its call has ended, and can be resumed. */
function ChildRun({ child: { runId, target } }: { child: ChildOfRow }) {
  const [run] = useQuery(useTRPC().runs.byIds.queryOptions({ ids: [runId] })).data ?? [];
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1.5">
      <ShortId id={runId} href={`/runs/${encodeURIComponent(runId)}`} />
      <span className="font-normal text-ink-2">of {target.slug}</span>
      {run && <RunBadge run={run} />}
    </span>
  );
}

/** The stored result of a finished step. It never changes. A long one is downloaded. */
function StepResult({ runId, name }: { runId: string; name: string }) {
  const trpc = useTRPC();
  const revealed = useRevealedStep(name);
  const step = useQuery({
    ...trpc.runs.step.queryOptions({ id: runId, name }, { staleTime: Infinity }),
    enabled: revealed === null,
    meta: { live: false },
  });
  const data = revealed ?? step.data;
  if (!data) {
    if (!step.error) return <Skeleton className="mb-3 h-16 rounded-m" />;
    return (
      <div className="mb-3">
        <ErrorNote title="The result could not be loaded" error={step.error} retry={() => void step.refetch()} />
      </div>
    );
  }
  const { result, resultBytes } = data;
  const size = resultBytes === null ? "" : formatBytes(resultBytes);
  const isLong = result === null && (resultBytes ?? 0) > "null".length;
  return (
    <section aria-label={`Result of ${name}`} className={boxClass}>
      <h3 className="border-b px-4 py-1.5 text-s font-medium text-ink-2">
        Result <span className="font-normal text-ink-3">{size}</span>
      </h3>
      {isLong ? (
        <p className="px-4 py-3 text-ink-2">
          The result is too long for this page:{" "}
          <a
            href={`/api/v1/runs/${encodeURIComponent(runId)}/steps?name=${encodeURIComponent(name)}`}
            className="text-accent underline"
          >
            open it as JSON
          </a>
          .
        </p>
      ) : (
        <JsonView
          text={JSON.stringify(result)}
          label={`Result of ${name}`}
          copyLabel="Copy the result"
          maxHeight={320}
        />
      )}
    </section>
  );
}

function Moment({ at, from }: { at: number; from: number }) {
  const iso = new Date(at).toISOString();
  return (
    <>
      {formatUtc(iso)}{" "}
      <span className="font-normal text-ink-3">
        (+{offsetOf(at, from)}, <RelativeTime iso={iso} />)
      </span>
    </>
  );
}
