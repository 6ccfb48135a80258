import { z } from "zod";

/**
 * What the billing system sends for every event of an invoice. A file whose name begins with `_` is no trigger of its
 * own.
 */
export const invoiceEvent = z.object({
  id: z.string(),
  type: z.string(),
  invoice: z.object({
    number: z.string(),
    customer: z.string(),
    /** In the currency's smallest unit, e.g. cents. */
    amount: z.int().nonnegative(),
    currency: z.string().length(3),
  }),
});
