"use client";

import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { useState } from "react";
import { formatNumber } from "../../server/domain/format.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { LoadingRows } from "../ui/faces.tsx";
import { Panel } from "../ui/panel.tsx";
import type { JumpTo } from "../json/json-tree.tsx";
import { AnswerPanel } from "./answer-panel.tsx";
import { ComparePanel } from "./compare/compare-panel.tsx";
import { DeliveryBody } from "./delivery-body.tsx";
import { DeliveryHead } from "./delivery-head.tsx";
import type { FullDelivery } from "./full-delivery.ts";
import { HeadersPanel } from "./headers-panel.tsx";
import { ProblemPanel } from "./problem-panel.tsx";
import { VerdictTable } from "./verdict-table.tsx";

/** One delivery: the request, the verdicts of the triggers, and the response. */
export function DeliveryView({ id }: { id: string }) {
  const trpc = useTRPC();
  // A delivery never changes, and may be a megabyte.
  const delivery = useQuery(trpc.deliveries.get.queryOptions({ id }, { staleTime: Infinity, meta: { live: false } }));
  if (delivery.data) return <LoadedDelivery delivery={delivery.data} />;
  if (delivery.error)
    return (
      <ErrorNote what={`${id} could not be loaded`} error={delivery.error} retry={() => void delivery.refetch()} />
    );
  return <LoadingRows label="Loading the delivery" rows={8} />;
}

function LoadedDelivery({ delivery }: { delivery: FullDelivery }) {
  const [compare, setCompare] = useQueryState("compare", parseAsString.withOptions({ history: "push" }));
  const [jumpTo, setJumpTo] = useState<JumpTo | null>(null);
  const { verdicts } = delivery;
  const matched = verdicts.filter((verdict) => verdict.outcome === "matched").length;
  const showPlace = delivery.body === null ? undefined : (pointer: string) => setJumpTo({ pointer });
  return (
    <>
      <DeliveryHead delivery={delivery} onCompare={(other) => void setCompare(other)} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {compare !== null && (
          <ComparePanel key={compare} delivery={delivery} other={compare} onClose={() => void setCompare(null)} />
        )}
        <ProblemPanel delivery={delivery} onPath={showPlace} />
        {verdicts.length > 0 && (
          <Panel
            title="Trigger verdicts"
            note={`${formatNumber(verdicts.length)} evaluated · ${formatNumber(matched)} fired`}
          >
            <VerdictTable verdicts={verdicts} onPath={showPlace} />
          </Panel>
        )}
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-cols-2">
          <DeliveryBody delivery={delivery} jumpTo={jumpTo} />
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            <HeadersPanel headers={delivery.headers} />
            <AnswerPanel delivery={delivery} />
          </div>
        </div>
      </div>
    </>
  );
}
