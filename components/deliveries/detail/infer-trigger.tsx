"use client";

import type { DeliveryDetails } from "../../../server/contract/delivery.ts";
import { ownHeaders } from "../../../server/contract/own-headers.ts";
import { useQuery } from "@tanstack/react-query";
import { FileCode } from "lucide-react";
import { useState } from "react";
import { formatCount, formatNumber } from "../../../server/shared/format.ts";
import { PlainText } from "../../json/plain-text.tsx";
import { RawText } from "../../json/raw-text.tsx";
import { useTRPC } from "../../trpc/trpc.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Panel } from "../../ui/page-layout.tsx";
import { ErrorNote, LoadingRows } from "../../ui/states.tsx";

/** Offers the code of a trigger for a delivery that started nothing because no trigger matches it. */
export function InferTrigger({ delivery }: { delivery: DeliveryDetails }) {
  const [isWanted, setIsWanted] = useState(false);
  if (!isWithoutTrigger(delivery)) return null;
  return (
    <Panel title="No trigger matched">
      {isWanted ? (
        <Inferred delivery={delivery} />
      ) : (
        <div className="flex flex-wrap items-center gap-3 px-4 py-3">
          <Button icon={FileCode} onClick={() => setIsWanted(true)}>
            Write a trigger
          </Button>
          <span className="text-s text-ink-3">Infers its schema from the recorded deliveries of this kind.</span>
        </div>
      )}
    </Panel>
  );
}

function isWithoutTrigger({ outcome, problem, verdicts, redeliveryOf, headers }: DeliveryDetails): boolean {
  if (
    headers[ownHeaders.handshake] !== undefined ||
    redeliveryOf !== null ||
    verdicts.some((verdict) => verdict.outcome === "disabled" || verdict.outcome === "matched")
  )
    return false;
  // The body of a request to an unknown endpoint is not read, so nothing can be inferred from it.
  return outcome === "skipped" || outcome === "held" || problem?.code === "request_mismatch";
}

function Inferred({ delivery }: { delivery: DeliveryDetails }) {
  const trpc = useTRPC();
  const request = { endpoint: delivery.endpoint, delivery: delivery.id };
  const inferred = useQuery(
    trpc.triggers.infer.queryOptions(request, { staleTime: Infinity, retry: false, meta: { live: false } }),
  );
  if (inferred.error)
    return (
      <div className="px-4 py-3">
        <ErrorNote error={inferred.error} title="No trigger could be inferred" retry={() => void inferred.refetch()} />
      </div>
    );
  if (!inferred.data) return <LoadingRows label="Reading the deliveries" rows={4} />;
  const { trigger, workflow, deliveries, kindAt, only, kinds } = inferred.data;
  const others = kinds.length - 1;
  return (
    <>
      <p className="px-4 pt-3 text-ink-2">
        Inferred from {formatCount(deliveries, "delivery", "deliveries")}
        {only !== null && (
          <>
            {" "}
            of the kind <PlainText text={only} /> (<PlainText text={kindAt ?? ""} />)
            {others > 0 && `, one of ${formatNumber(others + 1)} kinds`}
          </>
        )}
        . Save both files in your project, then build it.
      </p>
      {[trigger, workflow].map(({ file, code }) => (
        <section key={file} aria-label={file} className="border-t first-of-type:border-t-0">
          <h3 className="px-4 pt-3 font-mono text-s text-ink-3">{file}</h3>
          <RawText text={code} label={file} copyLabel={`Copy ${file}`} maxHeight={420} />
        </section>
      ))}
    </>
  );
}
