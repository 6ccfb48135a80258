"use client";

import { skipToken, useQuery } from "@tanstack/react-query";
import { jsonCurl } from "../../curl/curl-command.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { EmptyFace } from "../../ui/faces.tsx";
import { useIsHydrated } from "../../ui/use-now.ts";
import { endpointPath } from "../curl-of.ts";

/** The empty list: how to send the first delivery, or how to clear the filters. */
export function NothingFound({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (!isFiltered) return <FirstDelivery />;
  return (
    <EmptyFace title="No deliveries match these filters">
      <p className="mb-3">Clear a filter to see more. Deliveries older than the retention are deleted.</p>
      <Button onClick={onClear}>Clear all filters</Button>
    </EmptyFace>
  );
}

function FirstDelivery() {
  const trpc = useTRPC();
  const [first] = useQuery(trpc.triggers.names.queryOptions()).data?.triggers ?? [];
  const { data: details } = useQuery(trpc.triggers.get.queryOptions(first ? { slug: first.slug } : skipToken));
  const isHydrated = useIsHydrated();
  if (!first)
    return (
      <EmptyFace title="No deliveries yet">
        Incoming webhooks appear here. Define a trigger in the folder triggers/ first: its endpoint then accepts
        webhooks.
      </EmptyFace>
    );
  const address = `${isHydrated ? location.origin : ""}${endpointPath(first.endpoint)}`;
  const command = jsonCurl({ url: address, text: JSON.stringify(details?.example ?? {}) });
  return (
    <EmptyFace title="No deliveries yet">
      <p>
        Incoming webhooks appear here, including rejected ones with the reason. This command sends {first.slug} a body
        that it accepts:
      </p>
      <div className="mt-3 rounded-m border bg-sunken">
        <CodeBlock label="The first webhook" text={command} copyLabel="Copy command" />
      </div>
    </EmptyFace>
  );
}
