"use client";

import { useEffect, useMemo, useState } from "react";
import { Button } from "../ui/button.tsx";
import { CanvasProvider, useCanvas } from "./canvas-context.tsx";
import type { CanvasProps } from "./canvas-props.ts";
import { EndpointCard, TargetLink } from "./endpoint-card.tsx";
import { FirstDelivery } from "./first-delivery.tsx";
import type { CanvasModel } from "./model/build-model.ts";
import { Toolbar } from "./toolbar.tsx";
import { useMatchingIds } from "./use-kept.ts";
import { formatNumber } from "../../server/domain/format.ts";

const pageSize = 60;

/** Replaces the canvas on narrow screens: endpoints with their triggers and targets. Hides nodes that do not match. */
export function TriggerList({ model, store, url, filter, open, onSeen }: Omit<CanvasProps, "project">) {
  const matchingIds = useMatchingIds({ model, store, text: url.q, status: url.status });
  const [limit, setLimit] = useState(pageSize);
  const endpoints = useMemo(
    () =>
      model.endpoints.filter(
        ({ id, endpoint }) => (url.endpoint ?? endpoint) === endpoint && (matchingIds?.has(id) ?? true),
      ),
    [model, url.endpoint, matchingIds],
  );
  const shown = useMemo(() => endpoints.slice(0, limit), [endpoints, limit]);
  useEffect(
    () => onSeen([...shown.map(({ id }) => id), ...model.targets.slice(0, 2 * limit).map(({ id }) => id)]),
    [shown, model, limit, onSeen],
  );
  const context = useMemo(
    () => ({ store, selected: url.node, matchingIds, collapsed: new Set<string>(), toggle: () => {}, open }),
    [store, url.node, matchingIds, open],
  );
  return (
    <CanvasProvider value={context}>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 p-4">
        <Toolbar model={model} url={url} filter={filter} matchingIds={matchingIds} folds={null} onTidy={null} />
        <FirstDelivery model={model} store={store} />
        {shown.map((endpoint) => (
          <EndpointCard key={endpoint.id} endpoint={endpoint} model={model} />
        ))}
        {endpoints.length > limit && (
          <Button onClick={() => setLimit(limit + pageSize)}>
            Show more of {formatNumber(endpoints.length)} endpoints
          </Button>
        )}
        {endpoints.length === 0 && <p className="py-8 text-center text-ink-3">No endpoint matches the filters.</p>}
        {url.endpoint === null && <Unattached model={model} />}
      </div>
    </CanvasProvider>
  );
}

function Unattached({ model }: { model: CanvasModel }) {
  const { matchingIds } = useCanvas();
  const targets = model.targets.filter(({ id, triggers }) => triggers.length === 0 && (matchingIds?.has(id) ?? true));
  if (targets.length === 0) return null;
  return (
    <section aria-label="Without a trigger" className="rounded-l border bg-panel">
      <h2 className="border-b px-4 py-2.5 font-semibold">Without a trigger</h2>
      {targets.map((target) => (
        <div key={target.id} className="border-b px-4 py-2.5 last:border-0">
          <TargetLink target={target} />
        </div>
      ))}
    </section>
  );
}
