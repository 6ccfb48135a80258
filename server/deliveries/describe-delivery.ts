import type {
  Delivery,
  DeliveryDetails,
  DeliveryRow,
  DeliverySummary,
  DescribedDelivery,
  DescribedSummary,
  Verdict,
  VerdictList,
  VerdictOutcome,
} from "../contract/delivery.ts";
import type { Json } from "../contract/json.ts";
import type { Page, PageRequest } from "../contract/list.ts";
import type { BodyFormat } from "../contract/project/endpoint.ts";
import { hasTarget } from "../contract/project/target.ts";
import { countVerdicts, formatReason, verdictStages } from "../shared/deliveries/describe-reason.ts";
import { differencesFrom, readOrigin } from "../domain/deliveries/origin.ts";
import { sentResponse } from "../domain/deliveries/sender-response.ts";
import { nearestName } from "../../sdk/did-you-mean.ts";
import { formatNumber } from "../shared/format.ts";
import { describeWoken } from "../shared/runs/describe-wait.ts";
import { eventKind } from "../domain/sketch/event-kind.ts";
import { onlyJson, parseRecorded } from "../domain/requests/body-format.ts";
import type { ProjectReader } from "../ports/project.ts";
import type { DeliveryFilter, DeliveryStore } from "../ports/store/delivery-store.ts";
import { markBody } from "./mark-body.ts";
import { getDelivery } from "./read-deliveries.ts";

/** Deliveries as lists of the API show them, newest first, without their bodies. */
export async function listDeliveries(
  { store }: { store: Pick<DeliveryStore, "listDeliveries" | "findWoken"> },
  p: { filter: DeliveryFilter; page: PageRequest },
): Promise<Page<DescribedSummary>> {
  const page = await store.listDeliveries(p.filter, p.page);
  const data = await addWoken(store, page.data);
  return { ...page, data: data.map((one) => ({ ...one, decision: describeDecision(one) })) };
}

/** Adds the runs that waited for the deliveries. */
async function addWoken<Row extends DeliverySummary>(
  store: Pick<DeliveryStore, "findWoken">,
  deliveries: readonly Row[],
): Promise<Row[]> {
  const ids = deliveries.flatMap(({ id, outcome }) => (wakingOutcomes.has(outcome) ? [id] : []));
  const woken = ids.length === 0 ? null : await store.findWoken(ids);
  return deliveries.map((one) => {
    const woke = woken?.get(one.id);
    return woke ? { ...one, woke } : one;
  });
}

/** A skipped delivery can be found by a wait that begins later. */
const wakingOutcomes: ReadonlySet<DeliverySummary["outcome"]> = new Set(["accepted", "skipped"]);

/** Deliveries as lists of the app show them, newest first. */
export async function listDeliveryRows(
  deps: { store: Pick<DeliveryStore, "listDeliveries" | "getDeliveryBodies" | "findWoken">; project: ProjectReader },
  p: { filter: DeliveryFilter; page: PageRequest },
): Promise<Page<DeliveryRow>> {
  const page = await deps.store.listDeliveries(p.filter, p.page);
  const short = page.data.filter(({ bodyBytes }) => bodyBytes > 0 && bodyBytes <= maxReadBytes).map(({ id }) => id);
  const bodies = short.length === 0 ? new Map() : await deps.store.getDeliveryBodies(short);
  const data = await addWoken(deps.store, page.data);
  return { ...page, data: data.map((one) => describeRow(deps, one, bodies.get(one.id) ?? null)) };
}

/** The kind of an event with a longer body is read from its headers only. */
const maxReadBytes = 64_000;

async function getWithWoken(
  deps: { store: Pick<DeliveryStore, "getDelivery" | "findWoken"> },
  id: string,
): Promise<Delivery> {
  const delivery = await getDelivery(deps, id);
  const [one = delivery] = await addWoken(deps.store, [delivery]);
  return one;
}

/** One delivery as its page shows it. Throws AppError `not_found`. */
export async function showDelivery(
  deps: { store: Pick<DeliveryStore, "getDelivery" | "findWoken">; project: ProjectReader },
  id: string,
): Promise<DeliveryDetails> {
  const { json, ...delivery } = await getWithWoken(deps, id);
  const { manifest, byEndpoint } = deps.project.current();
  const triggers = manifest.triggers.filter(({ endpoint }) => endpoint === delivery.endpoint);
  const evaluated = await evaluatedBody(deps, delivery);
  const isObject = evaluated && evaluated.format !== "text" && evaluated.format !== "bytes";
  return {
    ...describeRow(deps, delivery, delivery.body === null ? null : Buffer.from(delivery.body, "base64")),
    body: delivery.body,
    evaluated,
    marks: markBody({ delivery, json: isObject ? parseJson(evaluated.text) : json, triggers }),
    response: sentResponse(delivery, byEndpoint.get(delivery.endpoint)?.[0]),
    origin: describeOrigin(delivery),
  };
}

/** What the service of the feed decided, and the triggers that decided otherwise here. */
function describeOrigin({
  headers,
  verdicts,
}: Pick<DeliverySummary, "headers" | "verdicts">): DeliveryDetails["origin"] {
  const origin = readOrigin(headers);
  if (!origin) return null;
  const differences = differencesFrom(origin, verdicts);
  const texts = [
    `Its response was ${origin.responseStatus} (${origin.outcome}).`,
    differences.length === 0 ? "Its triggers decided the same." : "Its triggers decided otherwise.",
    origin.isMatchOnly ? "It was only evaluated here: release it to start its runs." : "",
    origin.isMasked ? "Sensitive values are fakes." : "",
  ];
  return {
    url: origin.url,
    text: texts.filter(Boolean).join(" "),
    differences: differences.map(
      ({ attachmentId, here, there }) => `${attachmentId}: ${verdictWord(there)} there, ${verdictWord(here)} here`,
    ),
  };
}

/** One delivery with its body, as the current build evaluates it. Throws AppError `not_found`. */
export async function readDelivery(
  deps: { store: Pick<DeliveryStore, "getDelivery" | "findWoken">; project: ProjectReader },
  id: string,
): Promise<DescribedDelivery> {
  const delivery = await getWithWoken(deps, id);
  return { ...delivery, evaluated: await evaluatedBody(deps, delivery), decision: describeDecision(delivery) };
}

/** A delivery with the kind of its event, and the reason of its outcome in words. `body`: its bytes, if they are known. */
export function describeRow<Row extends DeliverySummary>(
  deps: { project: ProjectReader },
  delivery: Row,
  body: Uint8Array | null = null,
): Row & Pick<DeliveryRow, "event" | "decision" | "probableEndpoint"> {
  return {
    ...delivery,
    event: eventKind(body && parseJson(Buffer.from(body).toString()), delivery.headers) || null,
    decision: describeDecision(delivery),
    probableEndpoint: probableEndpoint(deps, delivery),
  };
}

/** `null`: it is no JSON. */
function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

function verdictWord(outcome: VerdictOutcome | null): string {
  return outcome?.replaceAll("_", " ") ?? "no verdict";
}

const forms: readonly BodyFormat[] = [{ type: "form", field: null, bigints: "number" }, { type: "multipart" }];

/** The body of a delivery as the triggers of the current build evaluate it; a form also if no trigger accepts it. */
async function evaluatedBody(
  { project }: { project: ProjectReader },
  delivery: Pick<Delivery, "id" | "endpoint" | "body" | "headers">,
): Promise<DescribedDelivery["evaluated"]> {
  const accepted = project.current().byEndpoint.get(delivery.endpoint)?.[0]?.body ?? onlyJson;
  const read = (await parseRecorded(delivery, [...accepted, ...forms])) ?? (await parseRecorded(delivery, forms));
  return read && !(read.format.type === "json" && read.isPlain) ? { format: read.format.type, text: read.text } : null;
}

function probableEndpoint(
  deps: { project: ProjectReader },
  { endpoint, problem }: Pick<Delivery, "endpoint" | "problem">,
): string | null {
  if (problem?.code !== "unknown_endpoint") return null;
  return nearestName(endpoint, [...deps.project.current().byEndpoint.keys()]);
}

/** One line: why a delivery did, or did not, start a run. */
function describeDecision(
  delivery: Pick<DeliverySummary, "endpoint" | "problem" | "outcome" | "woke" | keyof VerdictList>,
): string {
  const { woke = [] } = delivery;
  const decision = describeVerdicts(delivery);
  return woke.length === 0 ? decision : [decision, describeWoken(woke)].filter(Boolean).join("; ");
}

function describeVerdicts(
  delivery: Pick<DeliverySummary, "endpoint" | "problem" | "outcome" | "woke" | keyof VerdictList>,
): string {
  const { verdicts, unlistedVerdicts, problem } = delivery;
  const evaluated = countVerdicts(delivery);
  if (problem?.code === "unknown_endpoint") return `No endpoint ${delivery.endpoint || "(empty)"}`;
  if (evaluated === 0 && problem) return problemText(problem);
  if (evaluated === 0) return delivery.outcome === "skipped" ? "URL verification answered" : "";
  const matched = verdicts.filter((verdict) => verdict.outcome === "matched");
  if (delivery.outcome === "repeated") return "Duplicate: no new run started";
  if (matched.length > 0) return describeMatches(matched, { evaluated, woke: delivery.woke });
  const [only] = verdicts;
  const stages = [...new Set([...verdicts, ...unlistedVerdicts].map(({ outcome }) => verdictStages[outcome]))].join(
    ", ",
  );
  const held = delivery.outcome === "held" ? "Waits for a release: " : "";
  if (!only || evaluated > 1) {
    const first = verdicts.find(({ reasons }) => reasons.length > 0);
    const reason = first?.reasons[0];
    const why = first && reason ? `; ${first.trigger}: ${formatReason(reason)}` : "";
    return `${held}0 of ${formatNumber(evaluated)} fired, stopped at ${stages}${why}`;
  }
  const reason = only.reasons[0];
  if (!reason) return held + only.outcome.replace("_", " ");
  return only.outcome === "disabled"
    ? held + formatReason(reason)
    : `${held}${verdictStages[only.outcome]}: ${formatReason(reason)}`;
}

/** A trigger without a target matches, but does not fire: it only wakes the runs that wait for it. */
function describeMatches(
  matched: readonly Verdict[],
  { evaluated, woke }: { evaluated: number; woke: DeliverySummary["woke"] },
): string {
  const fired = matched.filter(hasTarget);
  const others = matched.filter((verdict) => !hasTarget(verdict));
  const waking = others.length === 0 ? "" : `${namesOf(others)} matched${woke ? "" : ", no run waits for it"}`;
  if (evaluated === 1) return waking || `${namesOf(fired)} fired`;
  const count = `${formatNumber(fired.length)} of ${formatNumber(evaluated)} fired`;
  return [fired.length === 0 ? count : `${count}: ${namesOf(fired)}`, waking].filter(Boolean).join("; ");
}

function namesOf(verdicts: readonly Verdict[]): string {
  return [...new Set(verdicts.map(({ trigger }) => trigger))].join(", ");
}

function problemText({ title, detail, errors }: NonNullable<DeliverySummary["problem"]>): string {
  const [first] = errors ?? [];
  return first ? `${title}: ${first.pointer || "the whole body"}, ${first.message}` : `${title}. ${detail}`;
}
