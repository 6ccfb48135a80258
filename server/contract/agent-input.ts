import { z } from "zod";
import type { JsonSchemaObject } from "./json.ts";

/** A stretch of a prompt that came from a payload, in UTF-16 units. `path`: where it stood there; `""`: no matter where. */
const promptMarkSchema = z.object({ start: z.int().min(0), end: z.int().min(0), path: z.string() });

/** The input of an agent's run: what it is asked, and which stretches of that came from outside, in their order. */
export const agentInputSchema = z
  .object({ prompt: z.string().min(1), marks: z.array(promptMarkSchema).default([]) })
  .refine(
    ({ prompt, marks }) =>
      marks.every(
        ({ start, end }, index) => (marks[index - 1]?.end ?? 0) <= start && start <= end && end <= prompt.length,
      ),
    {
      path: ["marks"],
      message: "The marks must lie in the prompt, one after the other",
    },
  );

/** The same for forms and callers, who write a prompt of their own. */
export const agentInputJsonSchema: JsonSchemaObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { prompt: { type: "string", minLength: 1, title: "Prompt", description: "What the agent is asked." } },
  required: ["prompt"],
};

export type AgentInput = z.infer<typeof agentInputSchema>;
