"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useMay } from "../auth/access.tsx";
import { jsonCurl } from "../curl/curl-command.ts";
import { describeProblem } from "../trpc/problem-of.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { useToast } from "../ui/toast.tsx";

/** Copies the URL for a sender's settings. In a deployment it contains a key, which is loaded on click. */
export function CopyUrl({ endpoint }: { endpoint: string }) {
  const { url } = useUrls();
  return <CopyButton text={() => url(endpoint)} label={`Copy the URL of ${endpoint}`} />;
}

/** Copies a curl command with a generated body that matches the trigger. */
export function CopyCurl({ endpoint, trigger }: { endpoint: string; trigger: string }) {
  const { curl } = useUrls();
  return (
    <span className="relative -my-1.5">
      <CopyButton text={() => curl({ endpoint, trigger })} label={`Copy curl for ${endpoint}`}>
        Copy curl
      </CopyButton>
    </span>
  );
}

function useUrls() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const toast = useToast();
  const mayOperate = useMay("operate");
  const url = async (endpoint: string): Promise<string> => {
    // Viewers cannot see keys, so their URL has none.
    if (!mayOperate) return `${window.location.origin}/triggers/${endpoint}`;
    try {
      return (await queries.fetchQuery({ ...trpc.triggers.url.queryOptions({ for: endpoint }), staleTime: 0 })).url;
    } catch (error) {
      toast({ tone: "bad", text: `The URL was not copied. ${describeProblem(error)}` });
      throw error;
    }
  };
  const curl = async (p: { endpoint: string; trigger: string }): Promise<string> => {
    const [to, { example }] = await Promise.all([
      url(p.endpoint),
      queries.fetchQuery(trpc.triggers.get.queryOptions({ slug: p.trigger })),
    ]);
    return jsonCurl({ url: to, text: JSON.stringify(example) });
  };
  return { url, curl };
}
