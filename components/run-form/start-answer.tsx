"use client";

import { Info } from "lucide-react";
import Link from "next/link";
import { Alert, ProblemNote } from "../ui/states.tsx";
import type { Starter } from "./use-start.ts";
import { sayVerdict } from "./what-would-happen.tsx";

/** Why no run was started. The form marks the fields that the server named. */
export function StartAnswer({ starter: { problem, rejected, stopped } }: { starter: Starter }) {
  if (problem && rejected) {
    const toDelivery = rejected.deliveryId !== null && (
      <Link
        href={`/deliveries/${encodeURIComponent(rejected.deliveryId)}`}
        className="whitespace-nowrap text-accent underline"
      >
        Open delivery
      </Link>
    );
    return (
      <ProblemNote
        problem={problem}
        title={`The endpoint responded with ${rejected.status}. No run was started`}
        more={toDelivery}
      />
    );
  }
  if (problem)
    return (
      <ProblemNote
        problem={problem}
        title={problem.errors.length > 0 ? "No run was started: the input is invalid" : "No run was started"}
      />
    );
  if (!stopped) return null;
  return (
    <Alert tone="wait" icon={Info} className="max-h-48 overflow-auto">
      <p className="font-semibold">No run was started: the trigger did not match</p>
      <ul className="text-s">
        {stopped.map((verdict) => (
          <li key={verdict.attachmentId} className="break-words">
            <code>{verdict.trigger}</code> {sayVerdict(verdict)}
          </li>
        ))}
      </ul>
    </Alert>
  );
}
