import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { createInvitation } from "../../../auth/people/invitations.ts";
import { createResetLink } from "../../../auth/people/passwords.ts";
import { auditContextOf } from "../../../auth/access/audit-context.ts";
import { auditActionSchema } from "../../../contract/access/audit.ts";
import { timestampMs, timestampSchema, pageSchema } from "../../../contract/list.ts";
import { roleSchema } from "../../../contract/access/person.ts";
import { dropUndefined } from "../../../domain/drop-undefined.ts";
import { answer, body, bodyProblems, defineRoute, problems } from "../define-route.ts";
import { requireBody } from "../read-json-body.ts";
import { noQuery, paging, querySchema } from "../request-schemas.ts";
import type { RestEnv } from "../rest-deps.ts";
import { auditEntry, invitationLink, listOf, person } from "../schemas.ts";

const listRoute = defineRoute({
  method: "get",
  path: "/api/v1/people",
  operationId: "listPeople",
  summary: "List the people with an account",
  tags: ["People"],
  request: { query: noQuery },
  responses: { 200: answer("All people, by name.", listOf(person)), ...problems() },
});

const resetRoute = defineRoute({
  method: "post",
  path: "/api/v1/people/{id}/reset-link",
  operationId: "createResetLink",
  summary: "Create a password reset link for a person",
  description:
    "Creates a link to set a new password for this person, valid once and for one hour. The new password ends all of their sessions. Earlier links of this person become invalid. The service sends no email: send the link yourself.",
  tags: ["People"],
  request: { params: z.object({ id: z.string().describe("Id of the person.") }), query: noQuery },
  responses: {
    201: answer("The link. It is shown only once.", invitationLink),
    ...problems(["not_found", "invalid_input"]),
  },
});

const inviteRoute = defineRoute({
  method: "post",
  path: "/api/v1/invitations",
  operationId: "createInvitation",
  summary: "Invite a person",
  description:
    "Creates an invitation link for one person, valid once and for seven days. The service sends no email: send the link yourself.",
  tags: ["People"],
  middleware: requireBody,
  request: {
    query: noQuery,
    body: body(
      z
        .strictObject({
          role: roleSchema,
          note: z
            .string()
            .trim()
            .max(100)
            .default("")
            .describe("A note for the list of invitations, e.g. the name of the person."),
        })
        .openapi("InviteRequest"),
      true,
    ),
  },
  responses: { 201: answer("The link. It is shown only once.", invitationLink), ...problems(bodyProblems) },
});

const setupRoute = defineRoute({
  method: "post",
  path: "/api/v1/setup-links",
  operationId: "createSetupLink",
  summary: "Create a setup link for an admin on the machine itself",
  description:
    "For `signalbox people setup-link`, which opens the store directly. Over the network, the answer is always 403.",
  tags: ["People"],
  request: { query: noQuery },
  responses: {
    201: answer("A link for one admin, valid for one hour. Earlier links become invalid.", invitationLink),
    ...problems(),
  },
});

const auditRoute = defineRoute({
  method: "get",
  path: "/api/v1/audit",
  operationId: "listAudit",
  summary: "List the actions of people and tokens, newest first",
  tags: ["People"],
  request: {
    query: querySchema({
      action: auditActionSchema.optional().describe("Only entries with this action."),
      actor: z.string().optional().describe("Id of a person or a key."),
      since: timestampSchema.optional().describe("ISO 8601. Only entries from this time on."),
      until: timestampSchema.optional().describe("ISO 8601. Only entries before this time."),
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
      auditContextOf(c.var.principal, c.env.client.address),
    );
    return c.json({ ...invitation, url }, 201);
  });

  app.openapi(resetRoute, async (c) => {
    const { invitation, url } = await createResetLink(
      c.env,
      c.req.valid("param").id,
      auditContextOf(c.var.principal, c.env.client.address),
    );
    return c.json({ ...invitation, url }, 201);
  });

  app.openapi(setupRoute, async (c) => {
    const { invitation, url } = await createInvitation(
      c.env,
      { kind: "setup", role: "admin", note: "" },
      auditContextOf(c.var.principal, c.env.client.address),
    );
    return c.json({ ...invitation, url }, 201);
  });

  app.openapi(auditRoute, async (c) => {
    const { limit, cursor, actor, since, until, action } = c.req.valid("query");
    const filter = dropUndefined({ action, actorId: actor, since: timestampMs(since), until: timestampMs(until) });
    return c.json(await c.env.store.listAudit(filter, { limit, cursor: cursor ?? null }), 200);
  });
}
