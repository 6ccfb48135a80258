"use client";

import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryStates } from "nuqs";
import type { Target } from "../../../server/contract/project/target.ts";
import type { Window } from "../../../server/contract/traffic.ts";
import { formatCount, formatNumber } from "../../../server/shared/format.ts";
import { RunForm } from "../../run-form/run-form.tsx";
import { useTRPC } from "../../trpc/trpc.ts";
import { Choice, Segmented } from "../../ui/controls/choice.tsx";
import { ErrorNote } from "../../ui/states.tsx";
import { Tabs } from "../../ui/controls/tabs.tsx";
import { SchemaSections } from "../frame/sheet-content.tsx";
import { SheetBody, SheetFrame, SheetSkeleton, TrafficPill, useSheetTab } from "../frame/sheet-frame.tsx";
import { TargetOverview } from "./target-overview.tsx";
import { TargetRuns } from "./target-runs.tsx";
import { type TargetDetails, useActivity } from "../sheet-data.ts";

const ways = [
  { value: "prompt" as const, label: "Prompt" },
  { value: "payload" as const, label: "Payload through a trigger" },
];

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
                title={`The ${target.kind} could not be loaded`}
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

/** Runs an agent with a typed prompt, or with a payload through one of its triggers. The choice is in the URL. */
function AgentRun({ target, attachments }: { target: Target; attachments: TargetDetails["attachments"] }) {
  const [{ via: named }, setState] = useQueryStates({ via: parseAsString, from: parseAsString });
  // `from` belongs to the form that was open before.
  const choose = (via: string | null) => void setState({ via, from: null });
  const triggers = [...new Map(attachments.map((one) => [one.trigger, one])).values()];
  const via = triggers.find(({ trigger }) => trigger === named) ?? null;
  const [first] = triggers;
  if (!first) return <RunForm subject={{ kind: "target", target }} />;
  return (
    <>
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b px-4 py-2">
        <Segmented
          label="Start with"
          value={via ? "payload" : "prompt"}
          options={ways}
          onChange={(way) => choose(way === "payload" ? first.trigger : null)}
        />
        {via && triggers.length > 1 && (
          <Choice
            label="Trigger"
            value={via.trigger}
            options={triggers.map(({ trigger }) => ({ value: trigger, label: trigger }))}
            onChange={choose}
          />
        )}
        {via && triggers.length === 1 && <code className="min-w-0 truncate text-s">{via.trigger}</code>}
      </div>
      {via ? (
        <RunForm key={via.trigger} subject={{ kind: "target", target, via }} />
      ) : (
        <RunForm subject={{ kind: "target", target }} />
      )}
    </>
  );
}
