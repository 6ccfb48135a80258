import { agentInputSchema } from "../../contract/agent/input.ts";
import type { AnySchema } from "../../ports/project.ts";

/** The schema of the input of every agent. */
export const agentInput: AnySchema = {
  safeParse(value) {
    const parsed = agentInputSchema.safeParse(value);
    return parsed.success
      ? parsed
      : { success: false, error: { issues: parsed.error.issues.map((issue) => ({ ...issue })) } };
  },
};
