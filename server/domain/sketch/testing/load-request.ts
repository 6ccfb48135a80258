import { z } from "zod";
import type { InferredTrigger } from "../infer-trigger.ts";

/** The schemas of a written trigger, as a project would define them. */
export function loadSchemas({ trigger }: Pick<InferredTrigger, "trigger">): {
  request: z.ZodType;
  headers?: z.ZodType;
  query?: z.ZodType;
} {
  const body = trigger.code
    .replaceAll(/^import .*$/gm, "")
    .replace("export default defineWebhookSource(", "return (")
    .replace(/\.attach\(\{ workflow: \w+ \}\);\n$/, ";");
  // The code is TypeScript without types.
  return new Function("z", body)(z) as ReturnType<typeof loadSchemas>;
}
