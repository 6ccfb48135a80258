import { z } from "zod";
import { auditActionSchema } from "../../contract/audit.ts";
import { momentMs, momentSchema } from "../../contract/moment.ts";
import { dropUndefined } from "../../domain/drop-undefined.ts";
import { procedure } from "../trpc.ts";
import { paging, toPage } from "./paging.ts";

/** What everybody did, newest first. */
export const auditList = procedure
  .input(
    z.strictObject({
      action: auditActionSchema.optional(),
      actorId: z.string().optional(),
      since: momentSchema.optional(),
      until: momentSchema.optional(),
      ...paging,
    }),
  )
  .query(({ ctx, input: { limit, cursor, since, until, ...rest } }) =>
    ctx.store.listAudit(
      dropUndefined({ ...rest, since: momentMs(since), until: momentMs(until) }),
      toPage({ limit, cursor }),
    ),
  );
