"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { fieldParts } from "../../../server/contract/request-parts.ts";
import type { Window } from "../../../server/contract/traffic.ts";
import { formatNumber } from "../../../server/shared/format.ts";
import { exampleBody } from "../../../server/shared/schema/example-body.ts";
import { partTitles } from "../../run-form/form/request-fields.tsx";
import { RunForm } from "../../run-form/run-form.tsx";
import { useTRPC } from "../../trpc/trpc.ts";
import { ErrorNote } from "../../ui/states.tsx";
import { Segmented } from "../../ui/controls/choice.tsx";
import { Tabs } from "../../ui/controls/tabs.tsx";
import { BacktestPanel } from "../backtest/backtest-panel.tsx";
import { DeliveryRows, FirstCurl, SchemaSections } from "../frame/sheet-content.tsx";
import { SheetBody, SheetFrame, SheetSection, SheetSkeleton, TrafficPill, useSheetTab } from "../frame/sheet-frame.tsx";
import { EmptyNote } from "../../ui/states.tsx";
import { SheetList } from "../frame/sheet-list.tsx";
import { TriggerOverview } from "./trigger-overview.tsx";
import { evidenceIn } from "./trigger-facts.ts";
import type { Graph } from "../../graph/canvas-model.ts";
import { onlyWakesRuns } from "../../graph/node-content.ts";
import { type TriggerDetails, useActivity } from "../sheet-data.ts";
import { useOrigin } from "../../ui/browser.ts";

type Which = "matched" | "stopped";

const choicesOf = (isWaking: boolean): readonly { value: Which; label: string }[] => [
  { value: "matched", label: isWaking ? "Matched" : "Fired" },
  { value: "stopped", label: "Stopped" },
];

const tabs = [
  { id: "overview", label: "Overview" },
  { id: "test", label: "Send test event" },
  { id: "deliveries", label: "Deliveries" },
  { id: "schema", label: "Schema" },
  { id: "backtest", label: "Backtest" },
] as const;

/** A trigger: conditions, matched and stopped deliveries, schemas, and a form to send a test event. */
export function TriggerSheet({
  slug,
  graph,
  window,
  onClose,
}: {
  slug: string;
  graph: Graph;
  window: Window;
  onClose: () => void;
}) {
  const trpc = useTRPC();
  const [tab, setTab] = useSheetTab(["overview", "test", "deliveries", "schema", "backtest"]);
  const listed = graph.triggers.find((trigger) => trigger.slug === slug);
  const isWaking = listed ? onlyWakesRuns(listed) : false;
  const endpoint = listed?.source.endpoint ?? "";
  const details = useQuery(trpc.triggers.get.queryOptions({ slug }));
  const activity = useActivity({ window, endpoint });
  const counts = evidenceIn(activity, listed?.attachmentIds ?? []);
  const lastFired = useQuery(trpc.deliveries.list.queryOptions({ trigger: slug, verdict: "matched", limit: 1 }));
  const url = `${useOrigin()}/triggers/${endpoint}`;
  const needsKey = graph.mode === "deployed";
  const pill = (
    <TrafficPill
      summary={counts && `${formatNumber(counts.passed)} ${isWaking ? "matched" : "fired"}`}
      lastAt={lastFired.data?.data[0]?.receivedAt ?? null}
      health={counts && counts.passed > 0 ? "healthy" : "unknown"}
    />
  );
  return (
    <SheetFrame node={{ kind: "trigger", id: slug }} status={pill} onClose={onClose}>
      <Tabs label={`About the trigger ${slug}`} tabs={tabs} selected={tab} onSelect={setTab}>
        {tab === "test" ? (
          <RunForm subject={{ kind: "trigger", slug, endpoint }} />
        ) : (
          <SheetBody key={tab} label={`${slug}, ${tabs.find(({ id }) => id === tab)?.label}`}>
            {tab === "overview" && listed && (
              <TriggerOverview
                trigger={listed}
                details={details.data}
                counts={counts}
                window={window}
                last={lastFired}
                url={url}
                needsKey={needsKey}
              />
            )}
            {tab === "deliveries" && (
              <TriggerDeliveries slug={slug} isWaking={isWaking} url={url} needsKey={needsKey} />
            )}
            {tab === "backtest" && <BacktestPanel trigger={slug} version={graph.version} />}
            {tab === "schema" && (details.data || !details.error) && <TriggerSchemas details={details.data} />}
            {details.error && !details.data && (
              <ErrorNote
                error={details.error}
                title="The trigger's schemas could not be loaded"
                retry={() => void details.refetch()}
              />
            )}
          </SheetBody>
        )}
      </Tabs>
    </SheetFrame>
  );
}

function TriggerSchemas({ details }: { details: TriggerDetails | undefined }) {
  if (!details) return <SheetSkeleton label="Loading schemas" />;
  const { request, filter, example } = details;
  return (
    <SchemaSections
      schemas={[
        ...fieldParts.flatMap((part) => {
          const schema = details[part];
          return schema === null
            ? []
            : [{ title: partTitles[part], schema, absent: "", example: exampleBody(schema, null) }];
        }),
        { title: "Request", schema: request, absent: "", example },
        {
          title: "Filter",
          schema: filter,
          absent: "No filter: every body that matches the request schema fires.",
          example: filter === null ? undefined : exampleBody(filter, null),
        },
      ]}
    />
  );
}

/** Deliveries that a trigger matched or stopped, with the reason. */
function TriggerDeliveries({
  slug,
  isWaking,
  url,
  needsKey,
}: {
  slug: string;
  isWaking: boolean;
  url: string;
  needsKey: boolean;
}) {
  const trpc = useTRPC();
  const [which, setWhich] = useState<Which>("matched");
  const recent = useQuery({
    ...trpc.deliveries.list.queryOptions({ trigger: slug, verdict: which, limit: 20 }),
    placeholderData: keepPreviousData,
  });
  return (
    <SheetSection
      title="Recent deliveries"
      note={
        <Link
          href={`/deliveries?trigger=${encodeURIComponent(slug)}&verdict=${which}`}
          className="text-accent hover:underline"
        >
          All
        </Link>
      }
    >
      <div className="mb-2">
        <Segmented label="Verdict" value={which} options={choicesOf(isWaking)} onChange={setWhich} />
      </div>
      <SheetList
        query={recent}
        noun="deliveries"
        rows={8}
        empty={
          which === "stopped" ? (
            <EmptyNote title="No stopped deliveries">
              Deliveries to its endpoint that do not match appear here, with the JSON Pointer of each mismatch.
            </EmptyNote>
          ) : (
            <EmptyNote title="No matching deliveries yet">
              <p>This generated body matches its schemas:</p>
              <FirstCurl slug={slug} url={url} needsKey={needsKey} />
            </EmptyNote>
          )
        }
      >
        {(deliveries) => (
          <DeliveryRows
            deliveries={deliveries}
            trigger={slug}
            label={which === "matched" ? `Deliveries that ${slug} matched` : `Deliveries that ${slug} stopped`}
          />
        )}
      </SheetList>
    </SheetSection>
  );
}
