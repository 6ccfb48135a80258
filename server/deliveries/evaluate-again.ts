import type { SignedRequest } from "../../sdk/definition.ts";
import { AppError } from "../contract/app-error.ts";
import type { Delivery, VerdictList } from "../contract/delivery.ts";
import { ownHeaders } from "../contract/own-headers.ts";
import type { Json } from "../contract/json.ts";
import type { OnMismatch } from "../contract/project/endpoint.ts";
import type { StartedBy } from "../contract/run.ts";
import { chooseFormat, contentOf, onlyJson, parseBody } from "../domain/requests/body-format.ts";
import { readMultipartTexts } from "../domain/requests/multipart.ts";
import type { ParsedJson } from "../domain/json/parse-exactly.ts";
import { maskVerdictsOf } from "../domain/privacy/mask-delivery.ts";
import { type Decision, decideDelivery } from "../matching/match-triggers.ts";
import type { Masking } from "../ports/masking.ts";
import type { ProjectReader, ProjectSources, TriggerSource } from "../ports/project.ts";
import type { Clock } from "../ports/clock.ts";
import type { SwitchStore } from "../ports/store.ts";
import type { DeliveryStore } from "../ports/store/delivery-store.ts";
import { getDelivery } from "./read-deliveries.ts";

/** A stored delivery that is evaluated again. */
interface StoredRequest {
  /** The stored bytes of its body. */
  bytes: Buffer<ArrayBuffer>;
  /** The current triggers that evaluate it; at least one. */
  triggers: readonly TriggerSource[];
}

/**
 * What an earlier delivery needs to be evaluated again: its body, and the current triggers on its endpoint, or one of
 * them. Throws AppError `not_replayable`.
 */
export function requireStored(
  old: Delivery,
  { project, trigger }: { project: ProjectReader; trigger: string | null },
): StoredRequest {
  return { bytes: keptBody(old), triggers: receiversOf(old, trigger, project.current()) };
}

/**
 * Evaluates the stored body and headers of a delivery by the current triggers. The runs of the decision belong to
 * delivery `deliveryId`. Throws AppError `not_replayable` if the endpoint would reject the body.
 */
export async function evaluateAgain(
  deps: { store: Pick<SwitchStore, "listDisabledTriggers">; project: ProjectReader },
  old: Delivery,
  p: StoredRequest & {
    /** Evaluated by one trigger of the endpoint only. */
    isOne: boolean;
    deliveryId: string;
    startedBy: StartedBy;
    now: number;
    onMismatch: OnMismatch | null;
  },
): Promise<{ decision: Decision; body: Json; rounded: readonly string[]; content: Uint8Array<ArrayBuffer> }> {
  const sources = deps.project.current();
  const { bytes, triggers, deliveryId, now, startedBy, onMismatch } = p;
  const { json: body, rounded, content } = await parseAgain(old, { bytes, source: triggers[0], deliveryId });
  const decision = decideDelivery({
    manifest: sources.manifest,
    triggers,
    index: p.isOne ? null : (sources.indexes.get(old.endpoint) ?? null),
    isShared: isShared(old, sources),
    onMismatch,
    body,
    headers: old.headers,
    deliveryId,
    now,
    startedBy,
    keyId: null,
    disabled: await deps.store.listDisabledTriggers(),
  });
  return { decision, body, rounded, content };
}

/**
 * What the current triggers on the endpoint, or one of them, decide about a delivery. Writes and starts nothing. Throws
 * AppError `not_found` or `not_replayable`.
 */
export async function explainDelivery(
  deps: Parameters<typeof evaluateAgain>[0] & {
    originals: Pick<DeliveryStore, "getDelivery">;
    masking: Pick<Masking, "readMasks">;
    clock: Clock;
  },
  { id, trigger }: { id: string; trigger: string | null },
): Promise<VerdictList> {
  const old = await getDelivery({ store: deps.originals }, id);
  const { decision } = await evaluateAgain(deps, old, {
    ...requireStored(old, { project: deps.project, trigger }),
    isOne: trigger !== null,
    deliveryId: id,
    startedBy: "api",
    now: deps.clock.now(),
    onMismatch: null,
  });
  const { verdicts, unlistedVerdicts } = maskVerdictsOf(await deps.masking.readMasks(), old.endpoint, decision);
  return { verdicts: verdicts.map((verdict) => ({ ...verdict, runId: null })), unlistedVerdicts };
}

/** Reads a stored header by its lower-case name. */
export function headerOf({ headers }: Pick<Delivery, "headers">): (name: string) => string | null {
  return (name) => (Object.hasOwn(headers, name) ? (headers[name] ?? null) : null);
}

/** The parts of a stored request that a signature covers. `onRead` gets each one that is read. */
export function signedPartsOf(
  old: Delivery,
  body: Uint8Array,
  onRead: (what: string, value: string | null) => void = () => {},
): SignedRequest {
  const header = headerOf(old);
  const read = (what: string, value: string | null) => {
    onRead(what, value);
    return value;
  };
  return {
    // The stored body of a GET is its query, which is a part of the URL.
    body: old.method === "GET" ? new Uint8Array() : body,
    receivedAtMs: Date.parse(old.receivedAt),
    method: old.method,
    get url() {
      return read("URL", header(ownHeaders.requestUrl));
    },
    header: (name) => read(`header ${name}`, header(name)),
    headers: () => Object.entries(old.headers),
    multipart: () => readMultipartTexts(body, header("content-type")),
  };
}

function isShared(old: Delivery, sources: ProjectSources): boolean {
  return (sources.byEndpoint.get(old.endpoint)?.length ?? 0) > 1;
}

function receiversOf(old: Delivery, slug: string | null, sources: ProjectSources): readonly TriggerSource[] {
  const onEndpoint = sources.byEndpoint.get(old.endpoint) ?? [];
  const triggers = slug === null ? onEndpoint : onEndpoint.filter((trigger) => trigger.slug === slug);
  if (triggers.length > 0) return triggers;
  const what = slug === null ? "No trigger" : `No trigger ${JSON.stringify(slug)}`;
  throw new AppError(
    "not_replayable",
    `${what} listens on ${JSON.stringify(old.endpoint)} in the deployed project. Deploy a project that has it.`,
  );
}

function keptBody(old: Delivery): Buffer<ArrayBuffer> {
  if (old.body !== null) return Buffer.from(old.body, "base64");
  throw new AppError(
    "not_replayable",
    `The body of delivery ${old.id} is not stored: the request was rejected before its body was read, or retention removed it.`,
  );
}

/** Parses the body in a format that the endpoint accepts now, regardless of the formats when it was received. */
export async function parseAgain(
  old: Pick<Delivery, "id" | "headers">,
  { bytes, source, deliveryId }: { bytes: Buffer<ArrayBuffer>; source: TriggerSource | undefined; deliveryId: string },
): Promise<ParsedJson & { content: Uint8Array<ArrayBuffer> }> {
  const formats = source?.body ?? onlyJson;
  const header = headerOf(old);
  const contentType = header("content-type") ?? undefined;
  try {
    const [only, ...others] = formats;
    const contentEncoding = header("content-encoding") ?? undefined;
    const format =
      only && others.length === 0
        ? only
        : chooseFormat(formats, { contentType, contentEncoding, jsonTypes: source?.verify?.jsonTypes });
    if (format instanceof AppError) throw format;
    const content = await contentOf(bytes, { type: format.type, contentEncoding });
    return { ...parseBody(content, { format, contentType, deliveryId }), content };
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    throw new AppError("not_replayable", `The body of delivery ${old.id} would be rejected again: ${cause.message}`, {
      cause,
    });
  }
}
