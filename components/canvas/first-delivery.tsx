"use client";

import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { FirstCurl } from "../sheets/first-curl.tsx";
import { useOrigin } from "../ui/browser.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { IconButton } from "../ui/button.tsx";
import type { EvidenceStore } from "./evidence-store.ts";
import type { CanvasModel } from "./model/build-model.ts";

/** Empty state: a curl command for the first delivery. Disappears with the first delivery. */
export function FirstDelivery({
  model,
  store,
  onCovers,
}: {
  model: CanvasModel;
  store: EvidenceStore;
  onCovers?: (height: number) => void;
}) {
  const isSilent = useSyncExternalStore(
    store.subscribeAll,
    () => isSilentEverywhere(model, store),
    () => false,
  );
  const [isClosed, setIsClosed] = useState(false);
  const [trigger] = model.triggers;
  if (!isSilent || isClosed || !trigger) return null;
  return <Card endpoint={trigger.endpoint} slug={trigger.slug} onClose={() => setIsClosed(true)} onCovers={onCovers} />;
}

interface CardProps {
  endpoint: string;
  slug: string;
  onClose: () => void;
  /** Called with the height that the card covers at the lower edge of the canvas. */
  onCovers: ((height: number) => void) | undefined;
}

function Card({ endpoint, slug, onClose, onCovers }: CardProps) {
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    const { current } = card;
    if (!current || !onCovers) return;
    // The card grows when the example body has loaded.
    const observer = new ResizeObserver(() => onCovers(current.offsetHeight));
    observer.observe(current);
    return () => {
      observer.disconnect();
      onCovers(0);
    };
  }, [onCovers]);
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
function isSilentEverywhere(model: CanvasModel, store: EvidenceStore): boolean {
  const known = model.endpoints.flatMap(({ id }) => store.endpoint(id) ?? []);
  return known.length > 0 && known.every(({ lastAt }) => lastAt === null);
}
