"use client";

import { useQuery } from "@tanstack/react-query";
import { History } from "lucide-react";
import { useState } from "react";
import { useTRPC } from "../../trpc/trpc.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Segmented } from "../../ui/controls/choice.tsx";
import { ErrorNote } from "../../ui/states.tsx";
import { SheetSection, SheetSkeleton } from "../frame/sheet-frame.tsx";
import { BacktestResult } from "./backtest-result.tsx";

const hourMs = 60 * 60 * 1000;

const periods = [
  { value: "24h", label: "24 hours", ms: 24 * hourMs },
  { value: "7d", label: "7 days", ms: 7 * 24 * hourMs },
  { value: "30d", label: "30 days", ms: 30 * 24 * hourMs },
] as const;

type Period = (typeof periods)[number]["value"];

/**
 * Compares recorded deliveries with a build, when a person asks for it: all of them, those of an endpoint, or those of
 * a trigger's endpoint. Nothing is started.
 */
export function BacktestPanel({
  endpoint,
  trigger,
  version,
  build,
}: {
  endpoint?: string;
  trigger?: string;
  /** The current build. */
  version: string;
  /** The build that evaluates the deliveries. Default: the current one. */
  build?: string;
}) {
  const trpc = useTRPC();
  const [period, setPeriod] = useState<Period>("7d");
  /** The start of the compared period; `null`: nothing was requested yet. */
  const [since, setSince] = useState<string | null>(null);
  const compared = useQuery(
    trpc.triggers.backtest.queryOptions(
      { endpoint, trigger, build, since: since ?? undefined },
      { enabled: since !== null, staleTime: Infinity, gcTime: 0, retry: false, meta: { live: false } },
    ),
  );
  const compare = () => {
    const chosen = periods.find(({ value }) => value === period);
    setSince(new Date(Date.now() - (chosen?.ms ?? 0)).toISOString());
  };
  return (
    <SheetSection
      title={`Compare recorded deliveries with ${build === undefined ? "the current build" : "this build"}`}
    >
      <p className="mb-3 text-ink-2">
        {build === undefined ? "The current build" : "This build"} evaluates recorded deliveries again. The result is
        the triggers that would fire now and did not, and those that fired and would not now. Nothing is started.
      </p>
      <div className="mb-4 flex flex-wrap items-center gap-2">
        <Segmented label="Period" value={period} options={periods} onChange={setPeriod} />
        <Button icon={History} onClick={compare} disabled={compared.isFetching}>
          Compare
        </Button>
      </div>
      {compared.isFetching ? (
        <SheetSkeleton label="Comparing deliveries" />
      ) : compared.error ? (
        <ErrorNote
          error={compared.error}
          title="The deliveries could not be compared"
          retry={() => void compared.refetch()}
        />
      ) : (
        compared.data && (
          <BacktestResult result={compared.data} isOutdated={compared.data.version !== (build ?? version)} />
        )
      )}
    </SheetSection>
  );
}
