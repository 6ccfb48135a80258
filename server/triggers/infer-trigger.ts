import { z } from "zod";
import { AppError } from "../contract/app-error.ts";
import type { DeliverySummary } from "../contract/delivery.ts";
import { ownHeaders } from "../contract/own-headers.ts";
import { readPages } from "../contract/list.ts";
import type { BodyFormat, Methods, OnMismatch } from "../contract/project/endpoint.ts";
import { stopIfDisconnected } from "../domain/problem.ts";
import { safeHeaders } from "../domain/deliveries/header-values.ts";
import { didYouMean } from "../../sdk/did-you-mean.ts";
import { readQuery } from "../domain/deliveries/query-values.ts";
import { formatCount } from "../shared/format.ts";
import { onlyJson, parseRecorded } from "../domain/requests/body-format.ts";
import type { EndpointVerification } from "../domain/sketch/write-trigger.ts";
import { type InferredTrigger, type Sample, inferTrigger as inferFromSamples } from "../domain/sketch/infer-trigger.ts";
import { type Clock, elapsedMs } from "../ports/clock.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { DeliveryStore } from "../ports/store/delivery-store.ts";
import { endpoint } from "../contract/fields.ts";

const fileSchema = z.object({
  slug: z.string().describe("Slug, e.g. `welcome-email`."),
  file: z.string().describe("Path of its file in the project."),
  code: z.string().describe("Its TypeScript."),
});

/** A trigger as inferred from recorded deliveries. */
export const inferredTriggerSchema = z.object({
  endpoint,
  trigger: fileSchema.describe("The trigger."),
  workflow: fileSchema.describe("A workflow that logs the payload."),
  deliveries: z.int().describe("Number of deliveries that the trigger is made from."),
  firstSeen: z.iso.datetime().describe("When the first of them was received."),
  lastSeen: z.iso.datetime().describe("When the last of them was received."),
  isComplete: z.boolean().describe("Whether all deliveries of the period were read, or only the newest."),
  kindAt: z
    .string()
    .nullable()
    .describe("The header, or the JSON Pointer of the field, that names the kind of an event. `null`: none does."),
  kinds: z
    .array(z.object({ value: z.string().describe("The kind."), deliveries: z.int().describe("Number of deliveries.") }))
    .describe("All kinds of the period, the most frequent first."),
  only: z.string().nullable().describe("The kind that the trigger is limited to. `null`: every kind."),
});

export type InferredTriggerAnswer = z.infer<typeof inferredTriggerSchema>;

/** The newest deliveries are read, at most this many. */
const maxDeliveries = 2_000;
/** Deliveries are read for at most this time. */
const maxReadMs = 8_000;
const defaultPeriodMs = 7 * 24 * 60 * 60 * 1000;

export interface InferRequest {
  endpoint: string;
  /** Only deliveries from this time on, in Unix milliseconds. Default: the last 7 days. */
  since?: number | undefined;
  /** Only deliveries of this kind. */
  only?: string | undefined;
  /** Only deliveries of the same kind as this one, by its id. */
  delivery?: string | undefined;
  /** The file of the trigger, relative to the project. Default: by its slug. */
  file?: string | undefined;
  signal?: AbortSignal | undefined;
}

interface Deps {
  store: Pick<DeliveryStore, "listDeliveries" | "getDelivery">;
  project: ProjectReader;
  clock: Clock;
}

/**
 * Writes a trigger from the deliveries that senders sent to an endpoint. Writes nothing to disk. Throws AppError
 * `nothing_recorded` if no delivery has a body, and `invalid_request` for an unknown kind.
 */
export async function inferTrigger(deps: Deps, request: InferRequest): Promise<InferredTriggerAnswer> {
  const since = request.since ?? deps.clock.now() - defaultPeriodMs;
  const end = elapsedMs(deps.clock) + maxReadMs;
  const endpoint = endpointOf(deps, request.endpoint);
  const listed = await listSamples(deps, { ...request, since, end, isVerified: endpoint.verify !== null });
  const readOne = (id: string) => readSample(deps, id, endpoint.formats);
  const like = request.delivery === undefined ? null : await readOne(request.delivery);
  const reader = createReader(readOne, { clock: deps.clock, ids: listed.ids, end, signal: request.signal });
  const inference = await inferFromSamples(reader.read, {
    endpoint: request.endpoint,
    file: request.file,
    only: like ?? request.only,
    ...endpoint,
  });
  if (inference.trigger)
    return describeTrigger(request.endpoint, inference.trigger, listed.isComplete && !reader.isCut());
  if (inference.count === 0) throw nothingRecorded(deps, request, listed.total);
  throw unknownKind(request.only ?? "", inference.kinds);
}

/** What the sources of an endpoint have in common. An unknown endpoint accepts JSON. */
function endpointOf(
  { project }: Deps,
  endpoint: string,
): {
  formats: readonly BodyFormat[];
  methods: Methods | undefined;
  verify: EndpointVerification | null;
  onMismatch: OnMismatch | null;
} {
  const { byEndpoint, manifest } = project.current();
  const [source] = byEndpoint.get(endpoint) ?? [];
  const formats = source?.body ?? onlyJson;
  const methods = source?.methods;
  const onMismatch = source?.onMismatch ?? null;
  if (!source?.verify) return { formats, methods, verify: null, onMismatch };
  const triggers = manifest.triggers.filter((trigger) => trigger.endpoint === endpoint);
  const trigger = triggers.find(({ secretVariable }) => secretVariable !== undefined) ?? triggers[0];
  const { scheme } = source.verify;
  return {
    formats,
    methods,
    onMismatch,
    verify: { scheme, secretVariable: trigger?.secretVariable ?? null, file: trigger?.file ?? "the other triggers" },
  };
}

/** The error for a kind that no payload has. */
export function unknownKind(only: string, kinds: readonly string[]): AppError {
  const known = kinds.length === 0 ? "The payloads have no kinds." : `Kinds: ${kinds.join(", ")}.`;
  return new AppError("invalid_request", `No payload is of the kind ${JSON.stringify(only)}. ${known}`);
}

export function describeTrigger(endpoint: string, found: InferredTrigger, isComplete: boolean): InferredTriggerAnswer {
  const { trigger, workflow, count, firstSeen, lastSeen, discriminator, only } = found;
  return {
    endpoint,
    trigger,
    workflow,
    deliveries: count,
    firstSeen: new Date(firstSeen).toISOString(),
    lastSeen: new Date(lastSeen).toISOString(),
    isComplete,
    kindAt: discriminator ? nameOf(discriminator.at) : null,
    kinds: [...(discriminator?.values ?? [])].map(([value, deliveries]) => ({ value, deliveries })),
    only,
  };
}

function nameOf(at: NonNullable<InferredTrigger["discriminator"]>["at"]): string {
  return "header" in at ? at.header : at.path;
}

function nothingRecorded({ project }: Deps, { endpoint }: InferRequest, total: number): AppError {
  const endpoints = project.current().byEndpoint;
  const name = JSON.stringify(endpoint);
  if (total === 0) {
    const hint = endpoints.has(endpoint) ? "" : didYouMean(endpoint, [...endpoints.keys()]);
    return new AppError("nothing_recorded", `No delivery to ${name} is recorded in this period.${hint}`);
  }
  return new AppError(
    "nothing_recorded",
    `${formatCount(total, "delivery", "deliveries")} to ${name} ${total === 1 ? "is" : "are"} recorded, but none has a usable body: JSON or a form from a sender, with a valid signature if the endpoint verifies one.`,
  );
}

/** The ids of the newest usable deliveries. `total` counts the others as well. `end`: monotonic milliseconds. */
async function listSamples(
  { store, clock }: Deps,
  {
    endpoint,
    since,
    signal,
    end,
    isVerified,
  }: Pick<InferRequest, "endpoint" | "signal"> & { since: number; end: number; isVerified: boolean },
): Promise<{ ids: string[]; total: number; isComplete: boolean }> {
  const ids: string[] = [];
  let total = 0;
  let isAtEnd = false;
  const pages = readPages((cursor) => {
    stopIfDisconnected(signal);
    return store.listDeliveries({ endpoint, since }, { limit: 100, cursor, signal });
  });
  for await (const { data, nextCursor } of pages) {
    total += data.length;
    ids.push(...data.filter((delivery) => isUsable(delivery, isVerified)).map(({ id }) => id));
    isAtEnd = nextCursor === null;
    if (ids.length >= maxDeliveries || elapsedMs(clock) >= end) break;
  }
  return { ids: ids.slice(0, maxDeliveries), total, isComplete: isAtEnd && ids.length <= maxDeliveries };
}

/**
 * Whether a sender sent it as an event, and its signature was not invalid. A repeat has the body of the first delivery.
 * The signature of a body in another format was not checked.
 */
export function isUsable({ outcome, problem, redeliveryOf, headers }: DeliverySummary, isVerified: boolean): boolean {
  if (outcome === "repeated" || redeliveryOf !== null || headers[ownHeaders.sentFrom] !== undefined) return false;
  if (headers[ownHeaders.handshake] !== undefined) return false;
  if (problem?.code === "unsupported_media_type") return !isVerified;
  return problem === null || problem.code === "request_mismatch";
}

/** Reads deliveries several times. The first reading ends at `end`, the others where the first one did. */
function createReader(
  readOne: (id: string) => Promise<Sample | null>,
  { clock, ids, end, signal }: { clock: Clock; ids: readonly string[]; end: number; signal: AbortSignal | undefined },
): { read(): AsyncIterable<Sample>; isCut(): boolean } {
  let limit: number | null = null;
  return {
    async *read() {
      let at = 0;
      for (; at < (limit ?? ids.length); at++) {
        stopIfDisconnected(signal);
        if (limit === null && at > 0 && elapsedMs(clock) > end) break;
        const sample = await readOne(ids[at] ?? "");
        if (sample) yield sample;
      }
      limit ??= at;
    },
    isCut: () => (limit ?? 0) < ids.length,
  };
}

/** `null` if the body is neither JSON nor a form that the endpoint accepts, or retention removed it. */
export async function readSample(
  { store }: { store: Pick<DeliveryStore, "getDelivery"> },
  id: string,
  formats: readonly BodyFormat[],
): Promise<Sample | null> {
  const delivery = await store.getDelivery(id);
  const parsed = delivery && (await parseRecorded(delivery, formats));
  if (!parsed || parsed.format.type === "text" || parsed.format.type === "bytes") return null;
  const { headers, receivedAt } = delivery;
  return {
    body: parsed.json,
    headers: safeHeaders(headers),
    query: readQuery(headers),
    seenAt: Date.parse(receivedAt),
  };
}
