import { z } from "zod";
import { parseJsonText } from "../../domain/json-text.ts";
import { explainBody } from "../../triggers/explain-body.ts";
import { procedure } from "../trpc.ts";
import { jsonText } from "./json-text.ts";

/** What each trigger would say of a body. Changes nothing; a mutation only because bodies are too long for a URL. */
export const triggersVerdicts = procedure
  .input(z.strictObject({ endpoint: z.string().optional(), trigger: z.string().optional(), text: jsonText }))
  .mutation(({ ctx, input: { text, ...about } }) =>
    explainBody(ctx, { ...about, body: parseJsonText(text, ctx.maxBodyBytes) }),
  );
