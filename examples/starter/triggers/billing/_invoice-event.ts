import { z } from "zod";

/**
 * The body that the billing system sends for every event of an invoice. A file whose name starts with `_` defines no
 * trigger.
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
