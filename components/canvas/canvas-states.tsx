"use client";

import { useQuery } from "@tanstack/react-query";
import { FilterX, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { FirstCurl } from "../sheets/frame/sheet-content.tsx";
import { useTRPC } from "../trpc/trpc.ts";
import { useOrigin } from "../ui/browser.ts";
import { Button, IconButton } from "../ui/controls/button.tsx";
import { CodeBlock } from "../ui/controls/copy-button.tsx";
import type { CanvasState } from "./canvas-store.ts";
import type { ToolbarProps } from "./toolbar/toolbar.tsx";
import { useCanvas, useCanvasStore } from "./use-canvas.ts";

const skeletonColumns = [
  { width: 244, rows: [98, 98, 98] },
  { width: 268, rows: [65, 84, 65, 103] },
  { width: 244, rows: [88, 88, 88] },
];

/** Loading state of the canvas, in the same frame. */
export function CanvasSkeleton() {
  return (
    <div
      role="status"
      aria-label="Loading canvas"
      className="absolute inset-0 flex items-center justify-center gap-[120px] overflow-hidden"
    >
      {skeletonColumns.map(({ width, rows }) => (
        <div key={rows.join()} className="flex flex-col gap-8">
          {rows.map((height, index) => (
            <span key={index} style={{ width, height }} className="animate-pulse rounded-l border bg-raised" />
          ))}
        </div>
      ))}
    </div>
  );
}

const firstTrigger = `import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import welcomeEmail from "../workflows/welcome-email";

export default defineWebhookSource({
  slug: "new-signup",
  endpoint: "signup",
  request: z.object({ name: z.string(), email: z.email() }),
}).attach({
  workflow: welcomeEmail,
  transform: (payload) => ({ to: payload.email, displayName: payload.name }),
});
`;

/** Empty state: the code of a first trigger. */
export function FirstTrigger() {
  return (
    <section aria-labelledby="first-trigger" className="mx-auto w-full max-w-[680px] p-4 md:pt-[10vh]">
      <h2 id="first-trigger" className="text-l font-semibold">
        No triggers yet
      </h2>
      <p className="mt-1 text-ink-2">
        A trigger is a file in <code>triggers/</code>. Create <code>triggers/new-signup.ts</code> with this code. The
        trigger appears here when you save the file.
      </p>
      <div className="mt-4 rounded-l border bg-panel shadow-raised">
        <CodeBlock text={firstTrigger} label="Example trigger" copyLabel="Copy the example trigger" />
      </div>
    </section>
  );
}

/** Empty state: the filters leave nothing. */
export function NoMatches({ filter }: ToolbarProps) {
  const isEmpty = useCanvas(({ graph }) => graph.nodes.length === 0);
  if (!isEmpty) return null;
  return (
    <div className="grid justify-items-center gap-3 py-8 md:absolute md:inset-x-0 md:top-1/3">
      <p className="text-ink-2">Nothing matches the filters.</p>
      <Button icon={FilterX} onClick={() => filter({ endpoint: null, status: "all", q: "" })}>
        Clear filters
      </Button>
    </div>
  );
}

/** Empty state: a curl command for the first delivery. Disappears with the first delivery. */
export function FirstDelivery() {
  const isSilent = useCanvas(isSilentEverywhere);
  const trigger = useCanvas(({ model }) => model.triggers[0]);
  const [isClosed, setIsClosed] = useState(false);
  if (!isSilent || isClosed || !trigger) return null;
  return <FirstDeliveryCard endpoint={trigger.source.endpoint} slug={trigger.slug} onClose={() => setIsClosed(true)} />;
}

function FirstDeliveryCard({ endpoint, slug, onClose }: { endpoint: string; slug: string; onClose: () => void }) {
  const card = useRef<HTMLElement>(null);
  const { cover } = useCanvasStore().view;
  useEffect(() => {
    const { current } = card;
    if (!current) return;
    // The card grows when the example body has loaded.
    const observer = new ResizeObserver(() => cover(current.offsetHeight));
    observer.observe(current);
    return () => {
      observer.disconnect();
      cover(0);
    };
  }, [cover]);
  const trpc = useTRPC();
  const origin = useOrigin();
  const { data: graph } = useQuery(trpc.canvas.graph.queryOptions());
  return (
    <section
      ref={card}
      aria-label="No deliveries yet"
      className="z-10 rounded-l border bg-panel shadow-raised md:absolute md:bottom-4 md:left-1/2 md:w-[560px] md:max-w-[calc(100%-120px)] md:-translate-x-1/2"
    >
      <div className="flex items-start gap-2 pt-2.5 pr-2 pl-4">
        <div className="min-w-0 flex-1">
          <h2 className="font-semibold">No deliveries yet</h2>
          <p className="text-s text-ink-2">
            Incoming webhooks appear here, including rejected ones. Send one to <code>{slug}</code>:
          </p>
        </div>
        <IconButton label="Close" icon={X} size="s" onClick={onClose} />
      </div>
      <div className="px-3 pb-3">
        <FirstCurl slug={slug} url={`${origin}/triggers/${endpoint}`} needsKey={graph?.mode === "deployed"} />
      </div>
    </section>
  );
}

/** Whether every loaded endpoint has no deliveries. */
function isSilentEverywhere({ model, traffic }: CanvasState): boolean {
  const known = model.sources.flatMap(({ id }) => traffic.endpoint(id) ?? []);
  return known.length > 0 && known.every(({ lastAt }) => lastAt === null);
}
