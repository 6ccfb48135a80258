"use client";

import { skipToken, useQuery } from "@tanstack/react-query";
import type { JsonSchemaObject, Json } from "../../server/contract/json.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { type RunSubject, targetOf, triggerOf } from "./run-subject.ts";

export interface SubjectDetails {
  schema: JsonSchemaObject;
  filter: JsonSchemaObject | null;
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
  const details = detailsOf(trigger.data, targeted.data);
  return { details, error: details ? null : query.error, retry: () => void query.refetch() };
}

function detailsOf(
  trigger: { request: JsonSchemaObject; filter: JsonSchemaObject | null; example: Json } | undefined,
  target: { input: JsonSchemaObject; example: Json } | undefined,
): SubjectDetails | null {
  if (trigger) return { schema: trigger.request, filter: trigger.filter, example: trigger.example };
  return target ? { schema: target.input, filter: null, example: target.example } : null;
}
