"use client";

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { DeliveriesTable } from "../deliveries/deliveries-table.tsx";
import { RunsTable } from "../runs/runs-table.tsx";
import { useTRPC } from "../trpc/trpc.ts";
import { EmptyFace, ErrorFace, LoadingRows } from "../ui/faces.tsx";
import { Panel } from "../ui/panel.tsx";
import { FirstDelivery, FirstTrigger } from "./first-steps.tsx";
import { recentRows } from "./recent-rows.ts";
import { TriggersTable } from "./triggers-table.tsx";

/** The start page: what listens, what came last, what ran last. */
export function Overview({ needsKey }: { needsKey: boolean }) {
  const trpc = useTRPC();
  const triggers = useQuery(trpc.triggers.list.queryOptions());
  const runs = useQuery(trpc.runs.list.queryOptions({ limit: recentRows }));
  const deliveries = useQuery(trpc.deliveries.list.queryOptions({ limit: recentRows }));
  const first = triggers.data?.[0];
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <h1 className="sr-only">Triggers, runs and deliveries</h1>
      <Panel id="triggers" title="Triggers" note={triggers.data ? count(triggers.data.length, "trigger") : undefined}>
        <List query={triggers} what="The triggers" rows={(data) => data} empty={<FirstTrigger />}>
          {(rows) => <TriggersTable triggers={rows} />}
        </List>
      </Panel>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 min-[1900px]:grid-cols-2">
        <Panel id="runs" title="Last runs">
          <List query={runs} what="The runs" rows={(page) => page.data} empty={<NoRuns hasTriggers={first !== undefined} />}>
            {(rows) => <RunsTable runs={rows} />}
          </List>
        </Panel>
        <Panel id="deliveries" title="Last deliveries">
          <List query={deliveries} what="The deliveries" rows={(page) => page.data} empty={<FirstDelivery trigger={first} needsKey={needsKey} />}>
            {(rows) => <DeliveriesTable deliveries={rows} />}
          </List>
        </Panel>
      </div>
    </div>
  );
}

interface QueryFace<Data> {
  data: Data | undefined;
  error: { message: string } | null;
  refetch: () => unknown;
}

/** The four faces of a list: loading, error, empty, rows. What was read before stays while it is read again. */
function List<Data, Item>(p: {
  query: QueryFace<Data>;
  what: string;
  rows: (data: Data) => Item[];
  empty: ReactNode;
  children: (rows: Item[]) => ReactNode;
}) {
  const { data, error, refetch } = p.query;
  if (data !== undefined) {
    const rows = p.rows(data);
    return rows.length > 0 ? p.children(rows) : p.empty;
  }
  if (error) return <ErrorFace what={`${p.what} could not be read`} message={error.message} retry={() => void refetch()} />;
  return <LoadingRows label={`${p.what} are being read`} />;
}

function NoRuns({ hasTriggers }: { hasTriggers: boolean }) {
  return (
    <EmptyFace title="Nothing has run yet">
      {hasTriggers ? "A run starts when a delivery matches a trigger. Send one: the deliveries show the command." : "Runs appear here as soon as a trigger has fired."}
    </EmptyFace>
  );
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}
