import { z } from "zod";
import { recordedDeliverySchema } from "./backtest.ts";

/** A delivery of the feed: as it was recorded, with its body in base64. */
export const fedDeliverySchema = recordedDeliverySchema.extend({ body: z.string() });

export type FedDelivery = z.infer<typeof fedDeliverySchema>;
