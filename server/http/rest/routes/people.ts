import { type OpenAPIHono, createRoute, z } from "@hono/zod-openapi";
import { createInvitation } from "../../../auth/create-invitation.ts";
import { createResetLink } from "../../../auth/create-reset-link.ts";
import { doerOf } from "../../../auth/doer.ts";
import { auditActionSchema } from "../../../contract/audit.ts";
import { momentMs, momentSchema } from "../../../contract/moment.ts";
import { pageSchema } from "../../../contract/page.ts";
import { roleSchema } from "../../../contract/person.ts";
import { dropUndefined } from "../../../domain/drop-undefined.ts";
import { answer, body, bodyProblems, problems } from "../answers.ts";
import { requireBody } from "../read-json-body.ts";
import { idParam, noQuery, paging, querySchema } from "../request-schemas.ts";
import type { RestEnv } from "../rest-deps.ts";
import { auditEntry, invitationLink, person } from "../schemas.ts";

const listRoute = createRoute({
  method: "get",
  path: "/api/v1/people",
  operationId: "listPeople",
  summary: "Who has an account",
  tags: ["People"],
  request: { query: noQuery },
  responses: { 200: answer("All of them, by name.", z.object({ data: z.array(person) })), ...problems() },
});

const resetRoute = createRoute({
  method: "post",
  path: "/api/v1/people/{id}/reset-link",
  operationId: "createResetLink",
  summary: "Let somebody set a new password",
  description:
    "Makes a link by which this person sets a new password, once, within an hour; it then ends all of their sessions. Links made for them before end. Nothing is sent: pass the link on.",
  tags: ["People"],
  request: { params: idParam, query: noQuery },
  responses: { 201: answer("The link, shown this once.", invitationLink), ...problems(["not_found", "invalid_input"]) },
});

const inviteRoute = createRoute({
  method: "post",
  path: "/api/v1/invitations",
  operationId: "createInvitation",
  summary: "Invite somebody",
  description: "Makes a link by which one person joins, once, within seven days. Nothing is sent: pass the link on.",
  tags: ["People"],
  middleware: requireBody,
  request: {
    query: noQuery,
    body: body(
      z
        .strictObject({
          role: roleSchema,
          note: z.string().trim().max(100).default("").openapi({ description: "Whom it is for." }),
        })
        .openapi("InviteRequest"),
      true,
    ),
  },
  responses: { 201: answer("The link, shown this once.", invitationLink), ...problems(bodyProblems) },
});

const setupRoute = createRoute({
  method: "post",
  path: "/api/v1/setup-links",
  operationId: "createSetupLink",
  summary: "Let an admin in from the machine itself",
  description:
    "For `signalbox people setup-link`, which opens the store itself. Over the network it is 403, whatever is sent.",
  tags: ["People"],
  request: { query: noQuery },
  responses: { 201: answer("A link for one admin, for one hour. Those before it end.", invitationLink), ...problems() },
});

const auditRoute = createRoute({
  method: "get",
  path: "/api/v1/audit",
  operationId: "listAudit",
  summary: "What people and tokens did, newest first",
  tags: ["People"],
  request: {
    query: querySchema({
      action: auditActionSchema.optional(),
      actor: z.string().optional().openapi({ description: "Id of a person or a key." }),
      since: momentSchema.clone().optional(),
      until: momentSchema.clone().optional(),
      ...paging,
    }),
  },
  responses: { 200: answer("One page.", pageSchema(auditEntry)), ...problems() },
});

export function registerPeopleRoutes(app: OpenAPIHono<RestEnv>): void {
  app.openapi(listRoute, async (c) => c.json({ data: await c.env.store.listPeople(c.env.clock.now()) }, 200));

  app.openapi(inviteRoute, async (c) => {
    const { invitation, url } = await createInvitation(
      c.env,
      { kind: "invitation", ...c.req.valid("json") },
      doerOf(c.var.principal, c.env.client.address),
    );
    return c.json({ ...invitation, url }, 201);
  });

  app.openapi(resetRoute, async (c) => {
    const { invitation, url } = await createResetLink(
      c.env,
      c.req.valid("param").id,
      doerOf(c.var.principal, c.env.client.address),
    );
    return c.json({ ...invitation, url }, 201);
  });

  app.openapi(setupRoute, async (c) => {
    const { invitation, url } = await createInvitation(
      c.env,
      { kind: "setup", role: "admin", note: "" },
      doerOf(c.var.principal, c.env.client.address),
    );
    return c.json({ ...invitation, url }, 201);
  });

  app.openapi(auditRoute, async (c) => {
    const { limit, cursor, actor, since, until, action } = c.req.valid("query");
    const filter = dropUndefined({ action, actorId: actor, since: momentMs(since), until: momentMs(until) });
    return c.json(await c.env.store.listAudit(filter, { limit, cursor: cursor ?? null }), 200);
  });
}
