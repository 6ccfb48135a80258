import { z } from "zod";
import { deliveryOutcomeSchema } from "../../contract/delivery.ts";
import { momentMs, momentSchema } from "../../contract/moment.ts";
import { verdictChoices } from "../../deliveries/filter-deliveries.ts";
import { searchText } from "./search-text.ts";

/** The filter of the list of deliveries and of its histogram. */
export const deliveryQuery = {
  endpoint: z.string().optional(),
  outcome: deliveryOutcomeSchema.optional(),
  status: z.int().min(100).max(599).optional(),
  trigger: z.string().optional(),
  verdict: z.enum(verdictChoices).optional(),
  since: momentSchema.optional(),
  until: momentSchema.optional(),
  text: searchText.optional(),
};

const querySchema = z.strictObject(deliveryQuery);

export function toDeliveryQuery({ since, until, status, ...rest }: z.output<typeof querySchema>) {
  return { ...rest, responseStatus: status, since: momentMs(since), until: momentMs(until) };
}
