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

/** What a trigger let through, and what it did not, with the reason. */
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
        <Segmented label="Which deliveries" value={which} options={choices} onChange={setWhich} />
      </div>
      <SheetList
        query={recent}
        what="The deliveries"
        rows={8}
        empty={
          which === "stopped" ? (
            <EmptyNote title="It has stopped nothing">
              Bodies that reach its endpoint and do not fit appear here, with the place where they do not.
            </EmptyNote>
          ) : (
            <EmptyNote title="It has not fired yet">
              <p>This body matches it, as far as its schemas tell:</p>
              <FirstCurl slug={slug} url={url} needsKey={needsKey} />
            </EmptyNote>
          )
        }
      >
        {(deliveries) => (
          <DeliveryRows
            deliveries={deliveries}
            trigger={slug}
            label={which === "matched" ? `What ${slug} fired on` : `What ${slug} stopped`}
          />
        )}
      </SheetList>
    </SheetSection>
  );
}
