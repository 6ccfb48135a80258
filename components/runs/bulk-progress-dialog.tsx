"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { ShortId } from "../ui/short-id.tsx";
import type { BulkAction } from "./bulk-action.ts";
import { type Counted, countWords, runsWords } from "./count-words.ts";
import { type BulkAnswer, type BulkProgress, bulkStart, runBulk } from "./run-bulk.ts";
import { formatNumber } from "../../server/domain/format.ts";

interface Props {
  action: BulkAction;
  total: Counted;
  ask: (cursor: string | null) => Promise<BulkAnswer>;
  onClose: () => void;
}

const doneWords: Record<BulkAction, string> = { replay: "replayed", cancel: "canceled or asked to stop" };

/** Runs a bulk action in batches. Shows the progress, a button to stop, and the results. */
export function BulkProgressDialog({ action, total, ask, onClose }: Props) {
  const queries = useQueryClient();
  const [progress, setProgress] = useState<BulkProgress>(bulkStart);
  const [stop] = useState(() => new AbortController());
  const begin = useEffectEvent((signal: AbortSignal) => {
    void runBulk({ ask, signal, onProgress: setProgress }).then(() => queries.invalidateQueries());
  });
  useEffect(() => {
    // A timer, because React mounts twice in development, and runs must not be replayed twice.
    const timer = setTimeout(() => begin(stop.signal));
    return () => clearTimeout(timer);
  }, [stop]);
  const isWorking = progress.state === "working";
  const seen = progress.done + progress.failed.length;
  const close = () => {
    stop.abort();
    onClose();
  };
  return (
    <Dialog
      title={titles[progress.state][action]}
      isOpen
      onClose={close}
      footer={
        <Button
          tone={isWorking ? "plain" : "primary"}
          onClick={isWorking ? () => stop.abort() : close}
          disabled={isWorking && stop.signal.aborted}
        >
          {isWorking ? "Stop" : "Close"}
        </Button>
      }
    >
      <progress
        aria-label="Progress"
        value={isWorking ? seen : Math.max(seen, 1)}
        max={Math.max(total.count, seen, 1)}
        className="block h-2 w-full appearance-none overflow-hidden rounded-full bg-sunken [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-accent"
      />
      <p role="status" className="mt-3">
        {formatNumber(seen)} of {countWords(total)}:{" "}
        <strong>{runsWords({ count: progress.done, isCapped: false })}</strong> {doneWords[action]}
        {progress.failed.length > 0 && `, ${formatNumber(progress.failed.length)} failed`}.
      </p>
      {progress.state === "broken" && (
        <div className="mt-3">
          <ErrorNote error={progress.error} what="Interrupted. Completed changes are kept" />
        </div>
      )}
      {progress.failed.length > 0 && (
        <ul aria-label="Failed runs" tabIndex={0} className="mt-3 max-h-60 overflow-auto rounded-m border">
          {progress.failed.slice(0, 200).map(({ id, message }) => (
            <li key={id} className="flex flex-wrap gap-x-3 border-b px-3 py-2 last:border-0">
              <ShortId id={id} href={`/runs/${encodeURIComponent(id)}`} />
              <span className="min-w-0 break-words text-ink-2">{message}</span>
            </li>
          ))}
          {progress.failed.length > 200 && (
            <li className="px-3 py-2 text-ink-3">and {formatNumber(progress.failed.length - 200)} more</li>
          )}
        </ul>
      )}
    </Dialog>
  );
}

const titles: Record<BulkProgress["state"], Record<BulkAction, string>> = {
  working: { replay: "Replaying…", cancel: "Canceling…" },
  stopped: { replay: "Replaying stopped", cancel: "Canceling stopped" },
  finished: { replay: "Replayed", cancel: "Canceled" },
  broken: { replay: "Replaying interrupted", cancel: "Canceling interrupted" },
};
