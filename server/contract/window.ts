import { z } from "zod";

/** How far back numbers about traffic reach. */
export const windowSchema = z.enum(["15m", "1h", "24h", "7d"]);

export type Window = z.infer<typeof windowSchema>;
