import { z } from "zod";

/** Where in the user's own code an error came from, with the lines around it as they were when the code was built. Counted from 1. */
export const codeExcerptSchema = z.object({
  /** Path in the project, with `/`. */
  file: z.string(),
  line: z.number().int(),
  column: z.number().int(),
  lines: z.array(z.object({ number: z.number().int(), text: z.string() })),
});

export type CodeExcerpt = z.infer<typeof codeExcerptSchema>;
