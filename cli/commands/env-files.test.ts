import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Failure } from "../terminal/failure.ts";
import { loadEnvFiles } from "./env-files.ts";

function setUp(files: Record<string, string>, given: string[] = [], env: NodeJS.ProcessEnv = {}) {
  const projectDir = mkdtempSync(join(tmpdir(), "signalbox-env-files-"));
  onTestFinished(() => rmSync(projectDir, { recursive: true }));
  const write = (name: string, text: string) => writeFileSync(join(projectDir, name), text);
  for (const [name, text] of Object.entries(files)) write(name, text);
  return { env, write, load: () => loadEnvFiles({ projectDir, cwd: projectDir, given, env }), projectDir };
}

test("variables of .env are set, but never over what is set, even if it is empty", () => {
  const { env, load } = setUp({ ".env": '# of the service\nA=from-file\nB="two\nlines"\nexport C=3\n' }, [], { A: "" });
  load();
  expect(env).toEqual({ A: "", B: "two\nlines", C: "3" });
});

test("a project without .env has no variables from files", () => {
  const { env, load } = setUp({});
  expect(load().reload()).toEqual([]);
  expect(env).toEqual({});
});

test("given files replace .env, and the later one takes precedence", () => {
  const { env, load } = setUp({ ".env": "A=1", "base.env": "A=2\nB=2", "local.env": "A=3" }, ["base.env", "local.env"]);
  const files = load();
  expect(env).toEqual({ A: "3", B: "2" });
  expect([".env", "base.env", "local.env"].filter(files.includes)).toEqual(["base.env", "local.env"]);
});

test("changes of a file change the environment", () => {
  const { env, load, write } = setUp({ ".env": "A=1\nB=1\nC=1" }, [], { C: "set" });
  const files = load();
  expect(files.reload()).toEqual([]);
  write(".env", "A=2\nC=2\nD=2");
  expect(files.reload()).toEqual(["A", "B", "D"]);
  expect(env).toEqual({ A: "2", C: "set", D: "2" });
});

test("variables of a given file that Node has loaded before change with the file", () => {
  const { env, load, write } = setUp({ "a.env": "A=1\nB=1" }, ["a.env"], { A: "1", B: "set" });
  const files = load();
  write("a.env", "A=2\nB=2");
  expect(files.reload()).toEqual(["A"]);
  expect(env).toEqual({ A: "2", B: "set" });
});

test("a given file that does not exist is a failure that names it", () => {
  const { load, projectDir } = setUp({}, ["missing.env"]);
  expect(load).toThrow(Failure);
  expect(load).toThrow(`The file of environment variables ${join(projectDir, "missing.env")} does not exist.`);
});

test("a folder in place of the file is a failure", () => {
  const { load, projectDir } = setUp({}, ["."]);
  expect(load).toThrow(`${projectDir} is a folder.`);
});
