import type { Json } from "../../contract/json.ts";
import type { BodyFormat, Methods, OnMismatch } from "../../contract/project/endpoint.ts";
import type { FieldValues } from "../deliveries/header-values.ts";
import { isFromStrictSender, isStrictScheme } from "../deliveries/strict-senders.ts";
import { fromPointer, valueAt } from "../../shared/json/json-pointer.ts";
import { type Discriminator, chooseDiscriminator, findCandidates, kindHeaders } from "./discriminator.ts";
import { type Sketch, addSketch, emptySketch, sketchOf } from "./sketch.ts";
import { type EndpointVerification, type TriggerCode, writeTrigger } from "./write-trigger.ts";

/** One recorded payload with its headers, whose names are in lower case. */
export interface Sample {
  body: Json;
  headers: Readonly<Record<string, string>>;
  /** The query of a POST, without credentials. Default: it is empty. */
  query?: FieldValues;
  /** Unix time in milliseconds. */
  seenAt: number;
}

export interface InferredTrigger extends TriggerCode {
  /** Number of payloads of the written kinds. */
  count: number;
  /** Unix time in milliseconds. */
  firstSeen: number;
  lastSeen: number;
  /** The string that names the kind of an event, and all kinds that were seen; `null`: the payloads have no kinds. */
  discriminator: Discriminator | null;
  /** The kind that the trigger is limited to; `null`: every kind. */
  only: string | null;
}

export type Inference =
  | { trigger: InferredTrigger }
  /** No payload is of the kind, or there is no payload at all. */
  | { trigger: null; count: number; kinds: readonly string[] };

/** Infers a trigger from payloads. Reads them twice, one at a time. Its memory is bounded, however many there are. */
export async function inferTrigger(
  read: () => AsyncIterable<Sample> | Iterable<Sample>,
  p: {
    endpoint: string;
    /** The file of the trigger, relative to the project. Default: by its slug. */
    file?: string | undefined;
    /** Limits the trigger to one kind, or to the kind of this sample. */
    only?: string | Sample | undefined;
    /** The formats in which the endpoint accepts bodies. Default: JSON. */
    formats?: readonly BodyFormat[] | undefined;
    /** The methods that the endpoint accepts. Default: POST. */
    methods?: Methods | undefined;
    /** Default: its requests are not signed. */
    verify?: EndpointVerification | null | undefined;
    /** Of the endpoint. Default: `skip` for a sender that disables endpoints. */
    onMismatch?: OnMismatch | null | undefined;
  },
): Promise<Inference> {
  const bodies = emptySketch();
  const headers = emptySketch();
  const queries = emptySketch();
  let isStrict = isStrictScheme(p.verify?.scheme ?? "");
  for await (const { body, headers: all, query = {}, seenAt } of read()) {
    addSketch(bodies, sketchOf(body, seenAt));
    addSketch(headers, sketchOf(kindHeaders(all), seenAt));
    addSketch(queries, sketchOf(query, seenAt));
    isStrict ||= isFromStrictSender(all);
  }
  if (bodies.count === 0) return { trigger: null, count: 0, kinds: [] };
  const candidates = findCandidates({ bodies, headers }).map((candidate) => ({
    candidate,
    sketches: new Map<string, Sketch>(),
  }));
  if (candidates.length > 0)
    for await (const sample of read()) {
      const sketch = sketchOf(sample.body, sample.seenAt);
      for (const { candidate, sketches } of candidates) {
        const value = kindOf(sample, candidate);
        if (value === null || !candidate.values.has(value)) continue;
        const known = sketches.get(value) ?? emptySketch();
        addSketch(known, sketch);
        sketches.set(value, known);
      }
    }
  const discriminator = chooseDiscriminator(bodies, candidates);
  const sketches = candidates.find(({ candidate }) => candidate === discriminator)?.sketches;
  const only = typeof p.only === "object" ? discriminator && kindOf(p.only, discriminator) : (p.only ?? null);
  const kinds = [...(discriminator?.values.keys() ?? [])].flatMap((value): [value: string, sketch: Sketch][] => {
    const sketch = only === null || value === only ? sketches?.get(value) : undefined;
    return sketch ? [[value, sketch]] : [];
  });
  if (only !== null && kinds.length === 0)
    return { trigger: null, count: bodies.count, kinds: [...(discriminator?.values.keys() ?? [])] };
  const written = kinds.length > 0 ? kinds.map(([, sketch]) => sketch) : [bodies];
  const trigger: InferredTrigger = {
    ...writeTrigger({
      endpoint: p.endpoint,
      file: p.file ?? null,
      all: bodies,
      discriminator,
      kinds,
      only,
      formats: p.formats ?? [],
      methods: p.methods ?? ["POST"],
      queries,
      verify: p.verify ?? null,
      onMismatch: p.onMismatch ?? (isStrict ? "skip" : null),
    }),
    count: written.reduce((sum, { count }) => sum + count, 0),
    firstSeen: Math.min(...written.map(({ firstSeen }) => firstSeen)),
    lastSeen: Math.max(...written.map(({ lastSeen }) => lastSeen)),
    discriminator,
    only,
  };
  return { trigger };
}

function kindOf({ body, headers }: Sample, { at }: Discriminator): string | null {
  if ("header" in at) return kindHeaders(headers)[at.header] ?? null;
  const value = valueAt(body, fromPointer(at.path));
  return typeof value === "string" ? value : null;
}
