import { z } from "zod";
import { givenHeadersSchema, givenQuerySchema } from "../../contract/delivery.ts";
import { timestampMs, timestampSchema } from "../../contract/list.ts";
import { backtest } from "../../deliveries/backtest.ts";
import { findShowableKey, recordKeyShown } from "../../auth/keys/show-key.ts";
import { switchReason } from "../../contract/disabled.ts";
import { parseJsonText } from "../../domain/requests/request-body.ts";
import { readDrift } from "../../triggers/contract-drift.ts";
import { explainBody } from "../../triggers/explain-body.ts";
import { inferTrigger } from "../../triggers/infer-trigger.ts";
import { getTrigger, listNames, listTriggers } from "../../triggers/read-triggers.ts";
import { disableTrigger, enableTrigger } from "../../triggers/switch-trigger.ts";
import { bigintsFor, triggerUrl } from "../../triggers/find-triggers.ts";
import { procedure, router } from "../trpc.ts";
import { jsonText } from "./input-schemas.ts";

const bySlug = z.strictObject({ slug: z.string() });

export const triggersRouter = router({
  /** The triggers of one endpoint, with their schemas, which are megabytes in a large project. */
  list: procedure("listTriggers")
    .input(z.strictObject({ endpoint: z.string() }))
    .query(({ ctx, input }) => listTriggers(ctx, input)),

  names: procedure("listNames").query(({ ctx }) => listNames(ctx)),

  get: procedure("getTrigger")
    .input(bySlug)
    .query(({ ctx, input }) => getTrigger(ctx, input.slug)),

  /** The webhook URL of a trigger or an endpoint. A deployed service includes a key, which is in the audit log. */
  url: procedure("triggerUrl")
    .input(z.strictObject({ for: z.string() }))
    .query(async ({ ctx, input }) => {
      const found = await triggerUrl(
        { ...ctx, findShowableKey: (endpoint) => findShowableKey(ctx, endpoint) },
        input.for,
      );
      if (found.keyId !== null)
        await recordKeyShown(ctx, { keyId: found.keyId, endpoint: found.endpoint }, ctx.auditContext);
      return found;
    }),

  /** The verdict of each trigger on a body. A mutation that changes nothing: bodies are too long for a URL. */
  verdicts: procedure("explainBody")
    .input(
      z.strictObject({
        endpoint: z.string().optional(),
        trigger: z.string().optional(),
        text: jsonText,
        headers: givenHeadersSchema.nullable().optional(),
        query: givenQuerySchema.optional(),
      }),
    )
    .mutation(({ ctx, input: { text, ...about } }) =>
      explainBody(ctx, {
        ...about,
        body: parseJsonText(text, ctx.maxBodyBytes, bigintsFor(ctx.project.current(), about)),
      }),
    ),

  /** The firings that a build would add or remove, of the recorded deliveries. Default: the current build. */
  backtest: procedure("backtest")
    .input(
      z.strictObject({
        endpoint: z.string().optional(),
        trigger: z.string().optional(),
        build: z.string().optional(),
        since: timestampSchema.optional(),
      }),
    )
    .query(({ ctx, signal, input: { since, ...about } }) =>
      backtest(ctx, { ...about, since: timestampMs(since), signal }),
    ),

  /** The code of a trigger for deliveries of the kind of this one. */
  infer: procedure("inferTrigger")
    .input(z.strictObject({ endpoint: z.string(), delivery: z.string() }))
    .query(({ ctx, signal, input }) => inferTrigger(ctx, { ...input, signal })),

  /** The changes of the deliveries to an endpoint in the last 7 days. */
  drift: procedure("readDrift")
    .input(z.strictObject({ endpoint: z.string() }))
    .query(({ ctx, signal, input }) => readDrift(ctx, { ...input, signal })),

  /** The disabled triggers, by slug. */
  disabled: procedure("listDisabledTriggers").query(async ({ ctx }) =>
    Object.fromEntries(await ctx.store.listDisabledTriggers()),
  ),

  disable: procedure("disableTrigger")
    .input(bySlug.extend({ reason: switchReason.nullable() }))
    .mutation(({ ctx, input }) => disableTrigger(ctx, input)),

  enable: procedure("enableTrigger")
    .input(bySlug)
    .mutation(({ ctx, input }) => enableTrigger(ctx, input.slug)),
});
