import { z } from "zod";

/** Properties with the same meaning in many schemas, each with its text. */

export const id = z.string().describe("The id.");
export const name = z.string().describe("The name.");
export const endpoint = z.string().describe("The endpoint, e.g. `billing`.");
export const trigger = z.string().describe("Slug of the trigger.");
export const attachmentId = z
  .string()
  .describe(
    "Id of the trigger with its target: `new-signup:welcome-email`. Without a target: the slug of the trigger.",
  );
export const runId = z.string().describe("Id of the run, `run_…`.");
export const deliveryId = z.string().describe("Id of the delivery, `dlv_…`.");
export const receivedAt = z.iso.datetime().describe("When the request was received.");
export const createdAt = z.iso.datetime().describe("When it was created.");
export const attempt = z.int().describe("Number of the attempt, from 1.");
export const startedAt = z.iso.datetime().describe("When it started.");
export const finishedAt = z.iso.datetime().describe("When it ended.");
export const pointer = z.string().describe("JSON Pointer of the value.");
export const message = z.string().describe("The reason in words.");
export const expected = z.string().nullable().describe("What was expected.");
export const actual = z.string().nullable().describe("What was received.");
export const isMasked = z
  .literal(true)
  .optional()
  .describe("Sensitive values are replaced by fakes. Absent: nothing is replaced.");
