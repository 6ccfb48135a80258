"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { saySpend } from "../runs/say-spend.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { useNow } from "../ui/use-now.ts";
import { windowLabels } from "./window-words.ts";
import { SheetSection } from "./sheet-frame.tsx";

const windows = [
  { window: "24h", hours: 24 },
  { window: "7d", hours: 7 * 24 },
] as const;

const minuteMs = 60_000;

/** Recent token usage and cost of an agent's runs. */
export function AgentSpend({ agent }: { agent: string }) {
  return (
    <SheetSection title="Tokens and cost">
      <ul className="grid gap-1">
        {windows.map(({ window, hours }) => (
          <SpendLine key={window} agent={agent} window={window} hours={hours} />
        ))}
      </ul>
    </SheetSection>
  );
}

function SpendLine({
  agent,
  window,
  hours,
}: {
  agent: string;
  window: (typeof windows)[number]["window"];
  hours: number;
}) {
  const trpc = useTRPC();
  // Rounded to five minutes, so that the query key stays the same.
  const until = Math.floor(useNow() / (5 * minuteMs)) * 5 * minuteMs;
  const since = new Date(until - hours * 60 * minuteMs).toISOString();
  const usage = useQuery(
    trpc.runs.usage.queryOptions({ target: agent, targetKind: "agent", since }, { placeholderData: keepPreviousData }),
  ).data;
  return (
    <li className="flex min-h-5 flex-wrap items-baseline gap-x-2 tabular-nums">
      <Link href={`/runs?${new URLSearchParams({ target: agent, since: window })}`} className="hover:underline">
        {usage ? saySpend(usage) : "–"}
      </Link>
      <span className="text-s text-ink-3">{windowLabels[window]}</span>
    </li>
  );
}
