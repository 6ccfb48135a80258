"use client";

import { skipToken, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Json, JsonSchemaObject } from "../../server/contract/json.ts";
import type { BodyFormat, Methods } from "../../server/contract/project/endpoint.ts";
import { useMay } from "../auth/access.tsx";
import { jsonCurl } from "../curl/curl-command.ts";
import { webhookCurl } from "../curl/webhook-curl.ts";
import { evaluatedText } from "../json/read-body.ts";
import { useTRPC } from "../trpc/trpc.ts";
import type { FieldSchemas, GivenFields, RecordedHeaders } from "./draft/field-texts.ts";
import { endpointOf, type RunSubject, targetOf, triggerOf } from "./run-subject.ts";

export interface SubjectDetails extends FieldSchemas {
  schema: JsonSchemaObject;
  filter: JsonSchemaObject | null;
  /** The formats and methods of its endpoint. */
  body: readonly BodyFormat[];
  methods: Methods;
  example: Json;
}

/** The schema of a form, and a generated example. `error`: neither could be loaded, not even before. */
export function useSubject(subject: RunSubject): { details: SubjectDetails | null; error: unknown; retry: () => void } {
  const trpc = useTRPC();
  const slug = triggerOf(subject);
  const target = targetOf(subject);
  const trigger = useQuery(trpc.triggers.get.queryOptions(slug === null ? skipToken : { slug }));
  const targeted = useQuery(trpc.targets.get.queryOptions(slug !== null || target === null ? skipToken : target));
  const query = slug === null ? targeted : trigger;
  const details: SubjectDetails | null = trigger.data
    ? { ...trigger.data, schema: trigger.data.request }
    : targeted.data
      ? { ...bodyOnly, schema: targeted.data.input, example: targeted.data.example }
      : null;
  return { details, error: details ? null : query.error, retry: () => void query.refetch() };
}

/** A run of a target has no request beside its input. */
const bodyOnly = { filter: null, headers: null, query: null, body: [], methods: [] } satisfies Partial<SubjectDetails>;

export interface FirstText {
  text: string;
  label: string;
  /** The headers of the delivery that it comes from. Default: generated ones. */
  headers?: RecordedHeaders | undefined;
}

/**
 * The initial text of a form: from the URL (`from`: a delivery of a trigger, a run of a target), or from the run to
 * replay. `null`: none; `undefined`: loading.
 */
export function useFirstText(
  subject: RunSubject,
  from: string | null,
): { first: FirstText | null | undefined; error: unknown } {
  const trpc = useTRPC();
  const takesBodies = endpointOf(subject) !== null;
  const delivery = useQuery({
    ...trpc.deliveries.get.queryOptions(takesBodies && from !== null ? { id: from } : skipToken),
    meta: { live: false },
  });
  const runId = subject.kind === "replay" ? subject.runId : takesBodies ? null : from;
  const run = useQuery({
    ...trpc.runs.get.queryOptions(runId === null ? skipToken : { id: runId }),
    meta: { live: false },
  });
  if (runId !== null) {
    const value = subject.kind === "replay" && subject.of === "payload" ? run.data?.payload : run.data?.input;
    return { first: run.data && { text: JSON.stringify(value ?? null, null, 2), label: "run" }, error: run.error };
  }
  if (!takesBodies || from === null) return { first: null, error: null };
  const { data, error } = delivery;
  return { first: data && { text: evaluatedText(data) ?? "", label: "delivery", headers: data.headers }, error };
}

/**
 * Creates a command that sends the same request as the form. Created on demand, because the URL of a deployed webhook
 * contains a key.
 */
export function useCurl(
  subject: RunSubject,
  { body: formats, methods }: Pick<SubjectDetails, "body" | "methods">,
  key: string | undefined,
): (text: string, fields: GivenFields) => Promise<string> {
  const trpc = useTRPC();
  const queries = useQueryClient();
  // Viewers do not see keys, so their URL has none.
  const mayOperate = useMay("operate");
  return async (text, fields) => {
    const request = { text, formats, methods, ...fields };
    if (subject.kind === "trigger" && !mayOperate)
      return webhookCurl({ url: `${window.location.origin}/triggers/${subject.endpoint}`, ...request });
    if (subject.kind === "trigger") {
      const { url } = await queries.fetchQuery(trpc.triggers.url.queryOptions({ for: subject.endpoint }));
      return webhookCurl({ url, ...request });
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
    const { via } = subject;
    const path = via ? `triggers/${via.trigger}/runs` : `${kind}s/${slug}/runs`;
    const query = new URLSearchParams({ ...(via && { target: slug }), ...(key !== undefined && { key }) }).toString();
    return jsonCurl({ url: `${base}/${path}${query === "" ? "" : `?${query}`}`, text, tokenVariable });
  };
}
