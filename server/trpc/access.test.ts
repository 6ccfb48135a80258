import { expect, it } from "vitest";
import { findOperation, type Operation, operations } from "../auth/access/operations.ts";
import { everyPrincipal, shallReach } from "../auth/testing/principals.ts";
import { scopeSchema } from "../contract/access/key.ts";
import { openApiDocument } from "../http/rest/rest-app.ts";
import { openTestService } from "../http/rest/testing/test-service.ts";
import { createTrpc } from "./create-trpc.ts";
import { appRouter } from "./router.ts";

/** Typed as nested routers; at run time the procedures are one flat record. */
const procedures = Object.entries(appRouter._def.procedures)
  .map(([path, procedure]) => {
    const { type, meta } = Reflect.get(Object(procedure), "_def") as { type: string; meta?: { operation?: string } };
    return { path, type, id: meta?.operation, scope: scopeSchema.parse(findOperation(meta?.operation)?.access) };
  })
  .toSorted((a, b) => (a.path < b.path ? -1 : 1));

it("every operation is offered by REST and to the pages, unless the table names the only one, and neither offers another", () => {
  const routes = JSON.stringify(openApiDocument()).matchAll(/"operationId":"(\w+)"/g);
  const offered = {
    rest: new Set(Array.from(routes, ([, id]) => id)),
    pages: new Set(procedures.map(({ id }) => id)),
  };
  const wanted = Object.entries<Operation>(operations);
  for (const api of ["rest", "pages"] as const)
    expect([...offered[api]].toSorted(), api).toEqual(
      wanted
        .filter(([, { only }]) => only === undefined || only === api)
        .map(([id]) => id)
        .toSorted(),
    );
});

it.each(procedures)(
  "$path admits the callers that its operation allows ($scope), by key, token or role, and no anonymous client",
  async ({ path, scope: needed }) => {
    const service = await openTestService({ mode: "deployed" });
    const codeFor = async (authenticate: typeof service.deps.authenticate) => {
      const caller = createTrpc({ ...service.deps, name: "my project", news: service.deps.store, authenticate }).caller(
        new Headers(),
      );
      const call = path.split(".").reduce<unknown>((at, name) => Reflect.get(Object(at), name), caller) as (
        input: unknown,
      ) => Promise<unknown>;
      return call({}).then(
        () => null,
        (error: unknown) => Reflect.get(Object(error), "code") as unknown,
      );
    };
    expect(await codeFor(service.deps.authenticate), "an anonymous client").toBe("UNAUTHORIZED");
    for (const { name, principal, scope } of everyPrincipal) {
      const code = await codeFor(async () => principal);
      expect(code === "FORBIDDEN", name).toBe(!shallReach(scope, needed));
      expect(code, name).not.toBe("UNAUTHORIZED");
    }
  },
);

it("a viewer can change nothing but their own account", () => {
  const mutations = procedures.filter(({ type, scope }) => type === "mutation" && scope === "read");
  // Verdicts change nothing: they are a mutation because bodies are too long for a URL.
  expect(mutations.map(({ path }) => path)).toEqual([
    "account.changePassword",
    "account.endSession",
    "triggers.verdicts",
  ]);
});
