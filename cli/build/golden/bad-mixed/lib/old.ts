import { z } from "zod/v3";

export const oldAddress = z.object({ street: z.string() });
