"use client";

import { skipToken, useQuery } from "@tanstack/react-query";
import { jsonCurl } from "../../curl/curl-command.ts";
import { useTRPC } from "../../trpc/trpc.ts";
import { Button } from "../../ui/button.tsx";
import { CodeBlock } from "../../ui/code-block.tsx";
import { EmptyFace } from "../../ui/faces.tsx";
import { useIsHydrated } from "../../ui/use-now.ts";
import { endpointPath } from "../curl-of.ts";

/** Nothing has arrived yet: how to send the first. Nothing that matches: the way out. */
export function NothingFound({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (!isFiltered) return <FirstDelivery />;
  return (
    <EmptyFace title="Nothing matches these filters">
      <p className="mb-3">What arrived may be older than what is kept, or one of the filters is too narrow.</p>
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
      <EmptyFace title="Nothing has arrived yet">
        Define a trigger in the folder triggers/ first; its endpoint is then open for webhooks.
      </EmptyFace>
    );
  const address = `${isHydrated ? location.origin : ""}${endpointPath(first.endpoint)}`;
  const command = jsonCurl({ url: address, text: JSON.stringify(details?.example ?? {}) });
  return (
    <EmptyFace title="Nothing has arrived yet">
      <p>
        Whatever knocks stands here, also what is rejected, with the reason. This sends {first.slug} a body that it
        takes:
      </p>
      <div className="mt-3 rounded-m border bg-sunken">
        <CodeBlock label="The first webhook" text={command} copyLabel="Copy the command" />
      </div>
    </EmptyFace>
  );
}
