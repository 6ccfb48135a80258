import { z } from "zod";

export const order = z.object({ id: z.string() });
