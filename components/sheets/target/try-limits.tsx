"use client";

import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { FlowSimulation, FlowSimulationOptions } from "../../../server/contract/flow-simulation.ts";
import type { Target } from "../../../server/contract/project/target.ts";
import { formatCount, formatDuration, formatNumber } from "../../../server/shared/format.ts";
import { describeWaitTimes } from "../../../server/shared/runs/describe-wait.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { Button } from "../../ui/controls/button.tsx";
import { ShortId } from "../../ui/controls/copy-button.tsx";
import { TextInput } from "../../ui/controls/text-input.tsx";
import { ErrorNote, Skeleton } from "../../ui/states.tsx";
import { SheetFacts, SheetSection } from "../frame/sheet-frame.tsx";

/** Shows how long recorded runs would wait with other limits. */
export function TryLimits({ target }: { target: Target }) {
  const trpc = useTRPC();
  const [tried, setTried] = useState<FlowSimulationOptions | null>(null);
  const simulation = useQuery(
    trpc.runs.simulate.queryOptions(
      { ...tried, target: target.slug, targetKind: target.kind },
      { enabled: tried !== null, staleTime: Infinity },
    ),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const numberOf = (name: string) => Number(data.get(name)) || undefined;
    const limits = { limit: numberOf("limit"), perKey: numberOf("perKey"), days: numberOf("days") };
    setTried({ ...limits, onFailure: "block" });
  };
  return (
    <SheetSection title="Try limits" note="on recorded runs">
      <form onSubmit={submit} className="flex flex-wrap items-end gap-2">
        <NumberInput label="Per key" name="perKey" byDefault="1" max={1_000_000} />
        <NumberInput label="All runs" name="limit" byDefault="" max={1_000_000} />
        <NumberInput label="Days" name="days" byDefault="7" max={90} />
        <Button type="submit" disabled={simulation.isFetching} aria-busy={simulation.isFetching}>
          Simulate
        </Button>
      </form>
      {tried && (
        <div className="mt-3" role="status" aria-label="Simulated waits">
          {simulation.error ? (
            <ErrorNote
              error={simulation.error}
              title="The limits could not be tried"
              retry={() => void simulation.refetch()}
            />
          ) : simulation.data ? (
            <Simulated simulation={simulation.data} />
          ) : (
            <Skeleton className="h-24 rounded-m" />
          )}
        </div>
      )}
    </SheetSection>
  );
}

function NumberInput({ label, name, byDefault, max }: { label: string; name: string; byDefault: string; max: number }) {
  return (
    <TextInput
      label={label}
      name={name}
      type="number"
      min={1}
      max={max}
      defaultValue={byDefault}
      placeholder="no limit"
      className="w-24"
    />
  );
}

function Simulated({ simulation }: { simulation: FlowSimulation }) {
  const { runs, runsWithoutKey, isCapped, waits, recordedWaits, delayed, busiestKeys, blockedKeys, blocks } =
    simulation;
  if (runs === 0) return <p className="text-ink-2">There are no recorded runs in this period.</p>;
  return (
    <SheetFacts
      facts={[
        ["runs", `${formatNumber(runs)}${isCapped ? ", the newest ones" : ""}`],
        ["without a key", runsWithoutKey === 0 ? null : formatNumber(runsWithoutKey)],
        ["delayed", formatNumber(delayed)],
        ["waits", describeWaitTimes(waits)],
        ["recorded waits", describeWaitTimes(recordedWaits)],
        [
          "busiest keys",
          busiestKeys.length === 0 ? null : (
            <ul key="keys">
              {busiestKeys.slice(0, 5).map(({ key, runs: ofKey, maxWaitMs }) => (
                <li key={key}>
                  <span className="break-all">{key}</span>{" "}
                  <span className="text-s text-ink-3">
                    {formatCount(ofKey, "run")}, longest wait {formatDuration(maxWaitMs)}
                  </span>
                </li>
              ))}
            </ul>
          ),
        ],
        [
          "would block",
          blockedKeys === 0 ? null : (
            <ul key="blocks">
              {blocks.slice(0, 5).map(({ key, runId, runs: waiting }) => (
                <li key={key} className="flex flex-wrap gap-x-2">
                  <span className="break-all">{key}</span>
                  <ShortId id={runId} href={`/runs/${encodeURIComponent(runId)}`} />
                  <span className="text-s text-ink-3">{formatCount(waiting, "run waits", "runs wait")}</span>
                </li>
              ))}
              {blockedKeys > 5 && <li className="text-s text-ink-3">and {formatNumber(blockedKeys - 5)} more keys</li>}
            </ul>
          ),
        ],
      ]}
    />
  );
}
