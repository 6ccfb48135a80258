"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useMay } from "../auth/access.tsx";
import { jsonCurl } from "../curl/curl-command.ts";
import { useTRPC } from "../trpc/trpc.ts";
import type { RunSubject } from "./run-subject.ts";

/**
 * Creates a command that sends the same request as the form. Created on demand, because the URL of a deployed webhook
 * contains a key.
 */
export function useCurl(subject: RunSubject): (text: string) => Promise<string> {
  const trpc = useTRPC();
  const queries = useQueryClient();
  // Viewers do not see keys, so their URL has none.
  const mayOperate = useMay("operate");
  return async (text) => {
    if (subject.kind === "trigger" && !mayOperate)
      return jsonCurl({ url: `${window.location.origin}/triggers/${subject.endpoint}`, text });
    if (subject.kind === "trigger") {
      const { url } = await queries.fetchQuery(trpc.triggers.url.queryOptions({ for: subject.endpoint }));
      return jsonCurl({ url, text });
    }
    const { mode } = await queries.fetchQuery(trpc.canvas.graph.queryOptions());
    const tokenVariable = mode === "development" ? null : "SIGNALBOX_TOKEN";
    const base = `${window.location.origin}/api/v1`;
    if (subject.kind === "replay")
      return jsonCurl({
        url: `${base}/runs/${subject.runId}/replay`,
        text: `{${JSON.stringify(subject.of)}: ${text}}`,
        tokenVariable,
      });
    const { kind, slug } = subject.target;
    if (subject.via)
      return jsonCurl({ url: `${base}/triggers/${subject.via.trigger}/runs?target=${slug}`, text, tokenVariable });
    return jsonCurl({ url: `${base}/${kind}s/${slug}/runs`, text, tokenVariable });
  };
}
