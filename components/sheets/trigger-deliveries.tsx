"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { useTRPC } from "../trpc/trpc.ts";
import { Segmented } from "../ui/segmented.tsx";
import { DeliveryRows } from "./delivery-rows.tsx";
import { FirstCurl } from "./first-curl.tsx";
import { SheetSection } from "./sheet-frame.tsx";
import { EmptyNote, SheetList } from "./sheet-list.tsx";

type Which = "matched" | "stopped";

const choices: readonly { value: Which; label: string }[] = [
  { value: "matched", label: "Fired" },
  { value: "stopped", label: "Stopped" },
];

/** Deliveries that a trigger matched or stopped, with the reason. */
export function TriggerDeliveries({ slug, url, needsKey }: { slug: string; url: string; needsKey: boolean }) {
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
        <Segmented label="Verdict" value={which} options={choices} onChange={setWhich} />
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
