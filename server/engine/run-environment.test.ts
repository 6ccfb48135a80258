import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { createRunEnvironment } from "./run-environment.ts";

function createShared(variables: Record<string, string>) {
  const state: { scope: object | null } = { scope: null };
  const shared = { ...variables };
  const env = createRunEnvironment(shared, () => state.scope);
  return { shared, env, enter: (scope: object | null) => (state.scope = scope) };
}

const changes: { [title: string]: (env: NodeJS.ProcessEnv) => unknown } = {
  assignment: (env) => (env["A"] = "changed"),
  "Object.assign": (env) => Object.assign(env, { A: "changed", B: "new" }),
  "Reflect.set": (env) => Reflect.set(env, "A", "changed"),
  "Object.defineProperty": (env) =>
    Object.defineProperty(env, "A", { value: "changed", configurable: true, enumerable: true, writable: true }),
  delete: (env) => delete env["A"],
  "Reflect.deleteProperty": (env) => Reflect.deleteProperty(env, "A"),
  "a new variable": (env) => (env["B"] = "new"),
  "all variables": (env) => Object.keys(env).forEach((name) => delete env[name]),
};

test.for(Object.entries(changes))("a change by a run is visible to that run only: %s", ([, change]) => {
  const { env, shared, enter } = createShared({ A: "1", C: "3" });
  enter({});
  change(env);
  expect({ ...env }).not.toEqual({ A: "1", C: "3" });
  for (const scope of [null, {}]) {
    enter(scope);
    expect([{ ...env }, shared]).toEqual([
      { A: "1", C: "3" },
      { A: "1", C: "3" },
    ]);
    expect(["A" in env, "B" in env, env["A"], Object.keys(env)]).toEqual([true, false, "1", ["A", "C"]]);
  }
});

test("a change outside of runs is visible to all runs", () => {
  const { env, shared, enter } = createShared({});
  env["A"] = "1";
  enter({});
  expect([env["A"], shared["A"]]).toEqual(["1", "1"]);
});

test("a run reads its own changes as the environment has them: strings, and no removed variables", () => {
  const { env, enter } = createShared({ A: "1" });
  enter({});
  Object.assign(env, { N: 7, U: undefined });
  delete env["A"];
  expect([env["N"], env["U"], "A" in env, Object.keys(env)]).toEqual(["7", "undefined", false, ["N", "U"]]);
  expect(() => Object.assign(env, { S: Symbol("s") })).toThrow(TypeError);
});

test("child processes of a run get its changes", () => {
  const { env, enter } = createShared({ PATH: process.env["PATH"] ?? "" });
  enter({});
  env["GREETING"] = "hello";
  expect(execFileSync(process.execPath, ["-p", "process.env.GREETING"], { env }).toString().trim()).toBe("hello");
});
