"use client";

import { JsonView } from "../json/json-view.tsx";
import { PlainText } from "../json/plain-text.tsx";
import { Facts } from "../ui/facts.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import { ErrorDetails } from "./error-details.tsx";
import { durationOf, offsetOf, stateOf } from "./row-words.ts";
import { describeError } from "./run-errors.ts";
import type { WaterfallRow } from "./waterfall.ts";
import { formatUtc } from "../../server/domain/format.ts";

/** The details of a row: exact times, the error with its source line, the message and data of a log line. */
export function RowDetails({ row, from, now }: { row: WaterfallRow; from: number; now: number }) {
  const { entry, end } = row;
  const ending = end ?? entry;
  return (
    <div role="group" aria-label={`Details of ${row.label}`} className="border-y bg-sunken px-4 pt-1 md:pl-8">
      <Facts
        facts={[
          [row.spans.length > 0 ? "started" : "at", <Moment key="began" at={row.at} from={from} />],
          [
            "ended",
            row.spans.length > 0 && row.endedAt !== null ? <Moment key="ended" at={row.endedAt} from={from} /> : null,
          ],
          ["scheduled end", row.until === null ? null : <Moment key="until" at={row.until} from={from} />],
          ["duration", row.endedAt === null ? null : durationOf(row, now)],
          ["state", stateOf(row)],
          ["attempt", row.entry.attempt > 0 ? row.entry.attempt : null],
          ["level", row.entry.level],
        ]}
      />
      {entry.message && (
        <p className="mb-3 max-h-80 overflow-auto font-mono text-s break-words whitespace-pre-wrap">
          <PlainText text={entry.message} />
        </p>
      )}
      {ending.error && row.state === "failed" && (
        <div className="mb-3 overflow-hidden rounded-m border bg-panel">
          <ErrorDetails failure={describeError(ending, ending.error)} />
        </div>
      )}
      {entry.kind === "log" && entry.data !== null && (
        <div className="mb-3 overflow-hidden rounded-m border bg-panel">
          <JsonView
            text={JSON.stringify(entry.data, null, 2)}
            label="Data of the log line"
            copyLabel="Copy the data"
            maxHeight={320}
          />
        </div>
      )}
    </div>
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
