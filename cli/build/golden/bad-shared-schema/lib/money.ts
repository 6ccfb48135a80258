import { z } from "zod";

// The one place at fault: both triggers import it.
export const money = z.object({
  currency: z.enum(["eur", "usd"]),
  amount: z
    .string()
    .transform(Number),
});
