import type { TimelineEntry, TimelineKind } from "../../server/contract/timeline.ts";
import type { Tone } from "../ui/statuses.ts";
import { exactUtc, formatDuration } from "../ui/time.ts";

/** What happened, oldest first, each with its time since the run was recorded. */
export function TimelineList({ entries, createdAt }: { entries: TimelineEntry[]; createdAt: string }) {
  return (
    <ol className="py-2">
      {entries.map((entry) => (
        <li key={entry.id} className="grid grid-cols-[72px_14px_minmax(0,1fr)] items-baseline gap-2 px-4 py-1.5">
          <time dateTime={entry.at} title={exactUtc(entry.at)} className="text-right text-s text-ink-3 tabular-nums">
            {formatDuration(Date.parse(entry.at) - Date.parse(createdAt))}
          </time>
          <Dot tone={toneOf(entry)} />
          <div className="min-w-0">
            <p className="flex flex-wrap items-baseline gap-x-2">
              <Title entry={entry} />
              {entry.durationMs !== null && <span className="text-s text-ink-3 tabular-nums">{formatDuration(entry.durationMs)}</span>}
              {entry.until && <span className="text-s text-ink-3">until {exactUtc(entry.until)}</span>}
            </p>
            {entry.error && (
              <p className="font-mono text-s break-words whitespace-pre-wrap text-bad">
                {entry.error.name}: {entry.error.message}
              </p>
            )}
            {entry.data !== null && (
              <pre tabIndex={0} role="region" aria-label={`Data of entry ${entry.id}`} className="mt-1 max-h-40 overflow-y-auto text-s break-all whitespace-pre-wrap text-ink-2">
                {JSON.stringify(entry.data, null, 2)}
              </pre>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}

const words: Record<Exclude<TimelineKind, "log">, { text: string; tone: Tone }> = {
  queued: { text: "Queued", tone: "idle" },
  attempt_started: { text: "Attempt started", tone: "run" },
  attempt_failed: { text: "Attempt failed", tone: "bad" },
  retry_scheduled: { text: "Will be tried again", tone: "wait" },
  resumed: { text: "Went on", tone: "run" },
  step_started: { text: "Step began", tone: "run" },
  step_completed: { text: "Step done", tone: "ok" },
  step_failed: { text: "Step failed", tone: "bad" },
  step_reused: { text: "Step kept its result", tone: "idle" },
  sleep_started: { text: "Sleeps", tone: "wait" },
  sleep_finished: { text: "Woke up", tone: "run" },
  worker_lost: { text: "Its worker was lost", tone: "bad" },
  cancel_requested: { text: "Asked to stop", tone: "wait" },
  completed: { text: "Completed", tone: "ok" },
  failed: { text: "Failed", tone: "bad" },
  canceled: { text: "Canceled", tone: "idle" },
  timed_out: { text: "Timed out", tone: "bad" },
};

const levelTones: Record<NonNullable<TimelineEntry["level"]>, Tone> = { debug: "idle", info: "idle", warn: "wait", error: "bad" };

function toneOf(entry: TimelineEntry): Tone {
  return entry.kind === "log" ? levelTones[entry.level ?? "info"] : words[entry.kind].tone;
}

function Title({ entry }: { entry: TimelineEntry }) {
  if (entry.kind === "log") {
    return (
      <>
        <span className={`w-10 shrink-0 text-xs uppercase ${text[toneOf(entry)]}`}>{entry.level ?? "info"}</span>
        <span className="min-w-0 flex-1 break-words whitespace-pre-wrap">{entry.message}</span>
      </>
    );
  }
  return (
    <>
      <span className="font-[550]">{words[entry.kind].text}</span>
      {entry.kind === "attempt_started" && <span className="text-ink-2">{entry.attempt}</span>}
      {entry.name && <code className="break-all text-ink-2">{entry.name}</code>}
      {entry.message && <span className="break-words text-ink-2">{entry.message}</span>}
    </>
  );
}

const text: Record<Tone, string> = { ok: "text-ok", run: "text-run", wait: "text-wait", bad: "text-bad", idle: "text-idle" };

/** Round for what goes well, a triangle for what does not, a square for the rest. */
function Dot({ tone }: { tone: Tone }) {
  const shape = tone === "bad" ? <path d="M5 1 9.5 9h-9z" /> : tone === "ok" ? <circle cx="5" cy="5" r="4" /> : tone === "run" || tone === "wait" ? <circle cx="5" cy="5" r="3" fill="none" stroke="currentColor" strokeWidth="2" /> : <rect x="2" y="2" width="6" height="6" rx="1" />;
  return (
    <svg aria-hidden width="10" height="10" viewBox="0 0 10 10" fill="currentColor" className={text[tone]}>
      {shape}
    </svg>
  );
}
