"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { fieldParts } from "../../../server/contract/request-parts.ts";
import type { Window } from "../../../server/contract/traffic.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { Tabs } from "../../ui/controls/tabs.tsx";
import { BacktestPanel } from "../backtest/backtest-panel.tsx";
import { EndpointConnect } from "./endpoint-connect.tsx";
import { EndpointOverview } from "./endpoint-overview.tsx";
import { SheetBody, SheetFrame, TrafficPill, useSheetTab } from "../frame/sheet-frame.tsx";
import { TryBody } from "./try-body.tsx";
import { endpointId, type Graph } from "../../graph/canvas-model.ts";
import { useActivity } from "../sheet-data.ts";
import { useEndpointKey } from "./endpoint-key.tsx";
import { useOrigin } from "../../ui/browser.ts";
import { formatCount } from "../../../server/shared/format.ts";

const tabs = [
  { id: "overview", label: "Overview" },
  { id: "connect", label: "Connect" },
  { id: "try", label: "Try a body" },
  { id: "backtest", label: "Backtest" },
] as const;

/** An endpoint: its URL, authentication, triggers, recent deliveries, and verdicts for a pasted body. */
export function EndpointSheet({
  endpoint,
  graph,
  window,
  onClose,
}: {
  endpoint: string;
  graph: Graph;
  window: Window;
  onClose: () => void;
}) {
  const trpc = useTRPC();
  const [tab, setTab] = useSheetTab(["overview", "connect", "try", "backtest"]);
  const triggers = useMemo(
    () => graph.triggers.filter((trigger) => trigger.sourceId === endpointId(endpoint)),
    [graph, endpoint],
  );
  const activity = useActivity({ window, endpoint });
  const recent = useQuery(trpc.deliveries.list.queryOptions({ endpoint, limit: 6 }));
  const slug = triggers[0]?.slug ?? endpoint;
  const access = useEndpointKey(slug);
  const url = `${useOrigin()}/triggers/${endpoint}`;
  const needsKey = graph.mode === "deployed";
  const traffic = activity?.endpoints.find((one) => one.endpoint === endpoint);
  const total = traffic ? Object.values(traffic.outcomes).reduce((sum, one) => sum + one, 0) : null;
  const pill = (
    <TrafficPill
      summary={total === null ? null : total === 0 ? "no deliveries" : formatCount(total, "delivery", "deliveries")}
      lastAt={traffic?.lastAt ?? null}
      health={traffic?.health ?? "unknown"}
      failureWord="rejected"
    />
  );
  return (
    <SheetFrame node={{ kind: "endpoint", id: endpoint }} status={pill} onClose={onClose}>
      <Tabs label={`About the endpoint ${endpoint}`} tabs={tabs} selected={tab} onSelect={setTab}>
        <SheetBody key={tab} label={`${endpoint}, ${tabs.find(({ id }) => id === tab)?.label}`}>
          {tab === "overview" && (
            <EndpointOverview
              endpoint={endpoint}
              url={url}
              needsKey={needsKey}
              access={access}
              triggers={triggers}
              activity={activity}
              window={window}
              recent={recent}
            />
          )}
          {tab === "connect" && <EndpointConnect url={url} slug={slug} needsKey={needsKey} access={access} />}
          {tab === "backtest" && <BacktestPanel endpoint={endpoint} version={graph.version} />}
          {tab === "try" && (
            <TryBody
              endpoint={endpoint}
              triggers={triggers.map((trigger) => trigger.slug)}
              parts={fieldParts.filter((part) => triggers.some((trigger) => trigger.fieldParts.includes(part)))}
              version={graph.version}
            />
          )}
        </SheetBody>
      </Tabs>
    </SheetFrame>
  );
}
