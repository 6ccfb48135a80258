"use client";

import { useQuery } from "@tanstack/react-query";
import type { DriftReport } from "../../../server/contract/drift.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { RelativeTime } from "../../ui/time.tsx";
import { SheetSection } from "../frame/sheet-frame.tsx";

/** A report that is not complete is read again after this time. The server adds the rest meanwhile. */
const completeMs = 15_000;

/** The payload changes of an endpoint. Empty while they load, or if there are none. */
export function EndpointDrift({ endpoint }: { endpoint: string }) {
  const trpc = useTRPC();
  const { data } = useQuery(
    trpc.triggers.drift.queryOptions(
      { endpoint },
      {
        staleTime: 60_000,
        refetchInterval: ({ state }) => (isComplete(state.data) ? false : completeMs),
        meta: { live: false },
      },
    ),
  );
  if (!data || data.data.length === 0) return null;
  return (
    <SheetSection title="Payload changes" note="in the last 7 days">
      <ul className="divide-y rounded-m border">
        {data.data.map(({ kind, change, pointer, trigger, actual, since, text }) => (
          <li
            key={JSON.stringify([kind, change, pointer, trigger, actual])}
            className="grid gap-0.5 border-line px-3 py-2 text-s"
          >
            <span className="break-words">{text}</span>
            <span className="text-ink-3">
              {kind !== null && <>{kind} · </>}since <RelativeTime iso={since} />
            </span>
          </li>
        ))}
      </ul>
    </SheetSection>
  );
}

const isComplete = (report: DriftReport | undefined) => report?.compared.every((one) => one.isComplete) ?? false;
