"use client";

import { useQuery } from "@tanstack/react-query";
import { Skeleton } from "../ui/states.tsx";
import { useTRPC } from "../trpc/trpc.ts";
import { CodeBlock } from "../ui/copy-button.tsx";
import { curlOf, keyPlaceholder } from "./snippets.ts";

/** A curl command with a generated body that matches, shown while there are no deliveries. */
export function FirstCurl({ slug, url, needsKey }: { slug: string; url: string; needsKey: boolean }) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.triggers.get.queryOptions({ slug }));
  if (!data) return <Skeleton className="mt-2 h-24 rounded-m" />;
  return (
    <div className="mt-2 rounded-m border bg-sunken">
      <CodeBlock
        text={curlOf({ url, key: needsKey ? keyPlaceholder : null, example: data.example })}
        label={`Example request to ${slug}`}
        copyLabel="Copy the command"
      />
    </div>
  );
}
