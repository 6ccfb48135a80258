import { z } from "zod";

export const privateOnly = z.object({ repository: z.object({ private: z.literal(true) }) });
