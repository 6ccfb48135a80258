import { expect, it } from "vitest";
import { procedureAccess } from "../auth/access/access-table.ts";
import { everyPrincipal, shallReach } from "../auth/testing/principals.ts";
import type { Scope } from "../contract/access/scope.ts";
import { openTestService } from "../http/rest/testing/test-service.ts";
import { createTrpc } from "./create-trpc.ts";
import { appRouter } from "./router.ts";

const procedures = Object.keys(appRouter._def.procedures).toSorted();
const mutations = Object.entries(appRouter._def.procedures).flatMap(([path, procedure]) =>
  typeOf(procedure) === "mutation" ? [path] : [],
);

/** Typed as the nested routers that they were made of; at run time they are one flat record. */
function typeOf(procedure: unknown): unknown {
  return Reflect.get(Object(Reflect.get(Object(procedure), "_def")), "type");
}

const needs = new Map<string, Scope>(Object.entries(procedureAccess));

it("every procedure is in the access table, and the table has no others", () => {
  expect([...needs.keys()].toSorted()).toEqual(procedures);
});

it.each(procedures)(
  "%s admits the callers that the table lists, be it by key, token or role, and no stranger",
  async (path) => {
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
    expect(await codeFor(service.deps.authenticate), "a stranger").toBe("UNAUTHORIZED");
    for (const { name, principal, scope } of everyPrincipal) {
      const code = await codeFor(async () => principal);
      expect(code === "FORBIDDEN", name).toBe(!shallReach(scope, needs.get(path) ?? "admin"));
      expect(code, name).not.toBe("UNAUTHORIZED");
    }
  },
);

/** Whoever only reads starts, stops and writes nothing: what is left to them is named here. */
it("a viewer can change nothing", () => {
  expect(mutations.filter((path) => needs.get(path) === "read").toSorted()).toEqual([
    "account.changePassword",
    "account.endSession",
    "triggers.verdicts",
  ]);
});
