import { z } from "zod";
import type { JsonSchemaObject } from "../json.ts";

/** A part of a prompt that comes from a payload, in UTF-16 units. `path`: its path in the payload; `""`: unknown. */
const promptMarkSchema = z.object({ start: z.int().min(0), end: z.int().min(0), path: z.string() });

/** The input of an agent's run: its prompt, and the parts of the prompt that come from the payload, in order. */
export const agentInputSchema = z
  .object({ prompt: z.string().min(1), marks: z.array(promptMarkSchema).default([]) })
  .refine(
    ({ prompt, marks }) =>
      marks.every(
        ({ start, end }, index) => (marks[index - 1]?.end ?? 0) <= start && start <= end && end <= prompt.length,
      ),
    {
      path: ["marks"],
      message: "Marks must be inside the prompt, in order and without overlap",
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
