"use client";

import { Info } from "lucide-react";
import { problemOf } from "../trpc/problem-of.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import type { Starter } from "./use-start.ts";
import { sayVerdict } from "./what-would-happen.tsx";

/** Why nothing was started. Places that the server named are marked in the form. */
export function StartAnswer({ starter: { error, stopped } }: { starter: Starter }) {
  if (error) return <ErrorNote error={error} what={problemOf(error).errors.length > 0 ? "Nothing was started: the service does not take it" : "Nothing was started"} />;
  if (!stopped) return null;
  return (
    <div role="alert" className="flex max-h-48 items-start gap-2.5 overflow-auto rounded-m bg-wait-soft px-3 py-2.5">
      <Info aria-hidden size={15} className="mt-0.5 shrink-0 text-wait" />
      <div className="min-w-0 flex-1">
        <p className="font-semibold">Nothing was started: it did not pass</p>
        <ul className="text-s">
          {stopped.map((verdict) => (
            <li key={verdict.attachmentId} className="break-words">
              <code>{verdict.trigger}</code> {sayVerdict(verdict)}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
