import type { Delivery } from "../../../server/contract/delivery.ts";
import type { BodyFormat } from "../../../server/contract/project/endpoint.ts";
import { readBody } from "../read-body.ts";

/** The number of redeliveries listed on a delivery's page, newest first. */
export const redeliveriesShown = 5;

/** One delivery on its page. `json` is left out, because the body contains it. */
export type FullDelivery = Omit<Delivery, "json"> & {
  probableEndpoint: string | null;
  /** A body that is not JSON, as the JSON that triggers evaluate; `null`: the body is JSON, or cannot be read. */
  evaluated: { format: BodyFormat["type"]; text: string } | null;
};

/** The JSON that triggers evaluate, as text. `null`: the body is not text, or is not stored. */
export function evaluatedText({ body, evaluated }: Pick<FullDelivery, "body" | "evaluated">): string | null {
  return evaluated?.text ?? readBody(body)?.text ?? null;
}
