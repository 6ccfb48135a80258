import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isolateEnvironment } from "./run-environment.ts";

type Owner = Pick<NodeJS.Process, "env" | "loadEnvFile">;

/** A process with these variables. `enter`: whose code is running; `null`: no run's. */
function createProcess(variables: NodeJS.ProcessEnv) {
  let execution: object | null = null;
  const owner: Owner = { env: variables, loadEnvFile: process.loadEnvFile };
  isolateEnvironment(owner, () => execution);
  return { owner, variables, enter: (next: object | null) => (execution = next) };
}

const envFile = join(mkdtempSync(join(tmpdir(), "env-")), ".env");
writeFileSync(envFile, "A=of the file\nB=of the file\n");

const changes: { [title: string]: (owner: Owner) => unknown } = {
  "one variable": ({ env }) => (env["A"] = "changed"),
  "a new variable": ({ env }) => (env["B"] = "new"),
  "Object.assign": ({ env }) => Object.assign(env, { A: "changed", B: "new" }),
  "Reflect.set": ({ env }) => Reflect.set(env, "A", "changed"),
  "Object.defineProperty": ({ env }) =>
    Object.defineProperty(env, "A", { value: "changed", configurable: true, enumerable: true, writable: true }),
  delete: ({ env }) => delete env["A"],
  "Reflect.deleteProperty": ({ env }) => Reflect.deleteProperty(env, "A"),
  "all variables": ({ env }) => Object.keys(env).forEach((name) => delete env[name]),
  "process.env itself": (owner) => (owner.env = { ...owner.env, A: "changed" }),
  "process.env itself, and one variable": (owner) => {
    owner.env = { ...owner.env };
    owner.env["A"] = "changed";
  },
  "process.loadEnvFile": (owner) => owner.loadEnvFile(envFile),
};

test.for(Object.entries(changes))("a change by a run is visible to that run only: %s", ([, change]) => {
  const { owner, variables, enter } = createProcess({ A: "1", C: "3" });
  enter({});
  change(owner);
  expect({ ...owner.env }).not.toEqual({ A: "1", C: "3" });
  for (const execution of [null, {}]) {
    enter(execution);
    expect({ ...owner.env }).toEqual({ A: "1", C: "3" });
    expect(variables).toEqual({ A: "1", C: "3" });
    expect(["A" in owner.env, "B" in owner.env, owner.env["A"], Object.keys(owner.env)]).toEqual([
      true,
      false,
      "1",
      ["A", "C"],
    ]);
  }
});

test.for(Object.entries(changes))(
  "a change outside of runs is visible to all runs, which change a copy: %s",
  ([, change]) => {
    const { owner, enter } = createProcess({ A: "1", C: "3" });
    change(owner);
    const changed = { ...owner.env };
    expect(changed).not.toEqual({ A: "1", C: "3" });
    enter({});
    expect({ ...owner.env }).toEqual(changed);
    owner.env["C"] = "of the run";
    enter(null);
    expect({ ...owner.env }).toEqual(changed);
  },
);

test("a run reads its own changes as the environment has them: strings, and no removed variables", () => {
  const { owner, enter } = createProcess({ A: "1" });
  enter({});
  Object.assign(owner.env, { N: 7, U: undefined });
  delete owner.env["A"];
  expect([owner.env["N"], owner.env["U"], "A" in owner.env, Object.keys(owner.env)]).toEqual([
    "7",
    "undefined",
    false,
    ["N", "U"],
  ]);
  expect(() => Object.assign(owner.env, { S: Symbol("s") })).toThrow(TypeError);
});

test("a file of variables adds those that are not set, and a missing one is an error", () => {
  const { owner, enter } = createProcess({ A: "1" });
  enter({});
  owner.loadEnvFile(envFile);
  expect({ ...owner.env }).toEqual({ A: "1", B: "of the file" });
  expect(() => owner.loadEnvFile(`${envFile}.missing`)).toThrow("ENOENT");
});

test("child processes of a run get its changes, with and without `env`", () => {
  const { env, loadEnvFile } = process;
  onTestFinished(() => {
    Object.defineProperty(process, "env", { value: env, writable: true, configurable: true, enumerable: true });
    process.loadEnvFile = loadEnvFile;
  });
  const execution = {};
  isolateEnvironment(process, () => execution);
  process.env["GREETING"] = "hello";
  for (const options of [{}, { env: process.env }])
    expect(execFileSync(process.execPath, ["-p", "process.env.GREETING"], options).toString().trim()).toBe("hello");
});
