import { z } from "zod";
import { sendFromForm } from "../../ingest/send-from-form.ts";
import { procedure } from "../trpc.ts";
import { jsonText } from "./json-text.ts";

/**
 * A delivery, sent by a person: what a webhook with this body does. The answer is a sender's, also where it is a
 * rejection.
 */
export const deliveriesSend = procedure
  .input(z.strictObject({ endpoint: z.string(), text: jsonText }))
  .mutation(({ ctx, input }) => sendFromForm(ctx, input));
