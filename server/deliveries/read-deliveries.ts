import { AppError } from "../contract/app-error.ts";
import type { Delivery, VerdictOutcome } from "../contract/delivery.ts";
import { type DeliveryFilterFields, type VerdictChoice } from "../contract/filters.ts";
import { toStoreFilter } from "../domain/store-filter.ts";
import { contentOf, readFile } from "../domain/requests/body-format.ts";
import { dropUndefined } from "../domain/drop-undefined.ts";
import type { ProjectSources } from "../ports/project.ts";
import type { DeliveryFilter, DeliveryStore } from "../ports/store/delivery-store.ts";

const outcomes: Record<VerdictChoice, readonly VerdictOutcome[]> = {
  matched: ["matched"],
  stopped: ["headers_mismatch", "query_mismatch", "request_mismatch", "filter_mismatch", "disabled"],
  headers_mismatch: ["headers_mismatch"],
  query_mismatch: ["query_mismatch"],
  request_mismatch: ["request_mismatch"],
  filter_mismatch: ["filter_mismatch"],
};

/** One delivery with its body. Throws AppError `not_found`. */
export async function getDelivery(deps: { store: Pick<DeliveryStore, "getDelivery"> }, id: string): Promise<Delivery> {
  const delivery = await deps.store.getDelivery(id);
  if (delivery) return delivery;
  throw new AppError("not_found", `There is no delivery ${JSON.stringify(id)}. Retention may have removed it.`);
}

/** A file of a delivery with a multipart body, by its number. Throws AppError `not_found`. */
export async function getDeliveryFile(
  deps: { store: Pick<DeliveryStore, "getDelivery"> },
  { id, at }: { id: string; at: number },
): Promise<{ filename: string; bytes: Buffer<ArrayBuffer> }> {
  const { body, headers } = await getDelivery(deps, id);
  const type = headers["content-type"] ?? "";
  try {
    const stored = Buffer.from(body ?? "", "base64");
    const bytes = await contentOf(stored, { type: "multipart", contentEncoding: headers["content-encoding"] });
    const file = readFile(bytes, type, at);
    if (file) return file;
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
  }
  throw new AppError("not_found", `Delivery ${id} has no file ${at}.`);
}

/**
 * Converts a request's filter to the store's filter. A trigger of the project is searched only on its endpoint, where
 * an index finds its deliveries. Throws AppError `invalid_request`.
 */
export function filterDeliveries(sources: ProjectSources, fields: DeliveryFilterFields): DeliveryFilter {
  const { trigger, verdict, ...others } = fields;
  const filter = toStoreFilter(others);
  if (trigger === undefined) {
    if (verdict !== undefined)
      throw new AppError("invalid_request", 'A "verdict" is that of a trigger: name the "trigger" too.');
    return filter;
  }
  const endpoint = filter.endpoint ?? sources.triggers.find(({ slug }) => slug === trigger)?.endpoint;
  const decided = verdict === undefined ? [...outcomes.matched, ...outcomes.stopped] : outcomes[verdict];
  return { ...filter, ...dropUndefined({ endpoint }), verdict: { trigger, outcomes: decided } };
}
