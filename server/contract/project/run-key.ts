import { z } from "zod";
import { maxKeyLength } from "../../../sdk/run-key.ts";
import { headerName, pointerSchema } from "./endpoint.ts";

/** The values of a webhook that make the key of its run. `header` is in lower case, `field` is a JSON Pointer. */
export const runKeySchema = z
  .array(
    z.union([
      z.strictObject({ field: pointerSchema.describe("JSON Pointer of a field of the payload.") }),
      z.strictObject({ header: headerName().describe("Name of a header.") }),
    ]),
  )
  .min(1)
  .max(3);

export type RunKeyParts = z.infer<typeof runKeySchema>;

/** The key of a run that is started without a webhook. */
export const givenKeySchema = z.string().min(1).max(maxKeyLength);
