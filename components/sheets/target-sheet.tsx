"use client";

import { useQuery } from "@tanstack/react-query";
import type { Target } from "../../server/contract/target.ts";
import type { Window } from "../../server/contract/window.ts";
import { RunForm } from "../run-form/run-form.tsx";
import { useTRPC } from "../trpc/trpc.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { AgentRun } from "./agent-run.tsx";
import type { TargetDetails } from "./answers.ts";
import { SchemaSections } from "./schema-sections.tsx";
import { SheetBody, SheetFrame, SheetSkeleton } from "./sheet-frame.tsx";
import { TargetOverview } from "./target-overview.tsx";
import { TargetRuns } from "./target-runs.tsx";
import { TrafficPill } from "./traffic-pill.tsx";
import { useActivity } from "./use-activity.ts";
import { useSheetTab } from "./use-sheet-tab.ts";
import { formatCount, formatNumber } from "../../server/domain/format.ts";

const tabs = [
  { id: "overview", label: "Overview" },
  { id: "run", label: "Run" },
  { id: "runs", label: "Runs" },
  { id: "schema", label: "Schema" },
] as const;

/** A workflow or an agent: schemas, retries, recent runs, and a form to run it. */
export function TargetSheet({ target, window, onClose }: { target: Target; window: Window; onClose: () => void }) {
  const trpc = useTRPC();
  const [tab, setTab] = useSheetTab(["overview", "run", "runs", "schema"]);
  const details = useQuery(trpc.targets.get.queryOptions(target));
  const activity = useActivity({ window, target })?.targets[0];
  const pill = (
    <TrafficPill
      summary={
        activity
          ? activity.isCapped
            ? `${formatNumber(activity.runs)}+ runs`
            : formatCount(activity.runs, "run")
          : null
      }
      lastAt={activity?.lastRun?.createdAt ?? null}
      health={activity?.health ?? "unknown"}
      waitingForApproval={activity?.waitingForApproval}
    />
  );
  return (
    <SheetFrame node={{ kind: target.kind, id: target.slug }} status={pill} onClose={onClose}>
      <Tabs label={`About the ${target.kind} ${target.slug}`} tabs={tabs} selected={tab} onSelect={setTab}>
        {tab === "run" ? (
          <RunTab target={target} attachments={details.data?.attachments ?? (details.error ? [] : null)} />
        ) : (
          <SheetBody key={tab} label={`${target.slug}, ${tabs.find(({ id }) => id === tab)?.label}`}>
            {tab === "overview" && <TargetOverview details={details.data} activity={activity} window={window} />}
            {tab === "runs" && <TargetRuns target={target} />}
            {tab === "schema" &&
              (details.data ? (
                <SchemaSections
                  schemas={[
                    { title: "Input", schema: details.data.input, absent: "", example: details.data.example },
                    {
                      title: "Output",
                      schema: details.data.output,
                      absent: "No output schema: it can return any JSON.",
                    },
                  ]}
                />
              ) : (
                !details.error && <SheetSkeleton label="Loading schemas" />
              ))}
            {details.error && !details.data && (
              <ErrorNote
                error={details.error}
                what={`The ${target.kind} could not be loaded`}
                retry={() => void details.refetch()}
              />
            )}
          </SheetBody>
        )}
      </Tabs>
    </SheetFrame>
  );
}

/** `attachments`: `null` while they load. */
function RunTab({ target, attachments }: { target: Target; attachments: TargetDetails["attachments"] | null }) {
  if (target.kind === "workflow") return <RunForm subject={{ kind: "target", target }} />;
  return attachments ? <AgentRun target={target} attachments={attachments} /> : <SheetSkeleton label="Loading agent" />;
}
