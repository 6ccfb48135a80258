import { describe, expect, test } from "vitest";
import { readEnvironment } from "./read-environment.ts";

/** Functions and typed sources of the SDK, as a build has them. */
const sdk = `// signalbox:dist/sdk/verify.js
function github(options) {}
function hmac(options) {}
function custom(options) {}
function standardWebhooks(options) {}
var verify_exports = {};
// signalbox:dist/sdk/sources/stripe.js
var stripe2 = createEventSources({ name: "stripe" });
export { github, hmac, custom, standardWebhooks, stripe2, verify_exports };
`;
const imports = `import { github, hmac, custom, standardWebhooks, stripe2 as stripe, verify_exports } from "../chunks/sdk.mjs";\n`;

interface Code {
  /** The module of a trigger. */
  trigger: string;
  /** A module that it shares with a workflow, in a file of its own. */
  lib?: string;
  workflow?: string;
}

/** The names that the other files import from lib/env.ts. */
const exported = ["env", "config", "need", "secret", "verify", "A_SECRET", "check"];

function read({ trigger, lib = "", workflow = "" }: Code) {
  const shared = exported.filter((name) =>
    new RegExp(`\\b(?:function|var|const|let) (?:\\{[^}]*\\b)?${name}\\b`).test(lib),
  );
  const list = shared.length > 0 ? `{ ${shared.join(", ")} }` : "";
  const importShared = list && `import ${list} from "../chunks/env.mjs";\n`;
  return readEnvironment({
    files: [
      { path: "code/chunks/sdk.mjs", code: sdk },
      { path: "code/chunks/env.mjs", code: `${imports}// lib/env.ts\n${lib}\n${list && `export ${list};\n`}` },
      { path: "code/triggers/t.mjs", code: `${imports}${importShared}// triggers/t.ts\n${trigger}\n` },
      { path: "code/workflows/w.mjs", code: `${importShared}// workflows/w.ts\n${workflow}\n` },
    ],
    triggerFiles: ["triggers/t.ts"],
    importersOf: (file) => new Set(file === "lib/env.ts" ? ["triggers/t.ts", "workflows/w.ts"] : []),
  });
}

/** What workers get of A_SECRET. */
function given(code: Code): "nothing" | "a placeholder" | "the secret" {
  const { manifest } = read(code);
  const found = manifest.secrets.find(({ name }) => name === "A_SECRET");
  if (!found?.isOnlyVerified) return "the secret";
  expect(found.triggers).toEqual(["triggers/t.ts"]);
  return found.isExpected ? "a placeholder" : "nothing";
}

const zod = 'import { z } from "zod";\n';

const hidden: Record<string, Code> = {
  "a direct read": { trigger: "var a = github({ secret: process.env.A_SECRET });" },
  "a name in brackets": { trigger: 'var a = github({ secret: process.env["A_SECRET"] });' },
  "a name in a template": { trigger: "var a = github({ secret: process.env[`A_SECRET`] });" },
  "optional chains": { trigger: "var a = github({ secret: process?.env?.A_SECRET });" },
  "an optional name in brackets": { trigger: 'var a = github({ secret: process.env?.["A_SECRET"] });' },
  globalThis: { trigger: "var a = github({ secret: globalThis.process.env.A_SECRET });" },
  "a fallback": { trigger: 'var a = github({ secret: process.env.A_SECRET ?? "" });' },
  "a list": { trigger: "var a = github({ secret: [process.env.A_SECRET, process.env.OLD] });" },
  "a list of a list": { trigger: "var old = [process.env.A_SECRET]; var a = github({ secret: [...old] });" },
  "other options before and after": {
    trigger: 'var a = hmac({ header: "x", timestamp: { header: "y" }, secret: process.env.A_SECRET, prefix: "v1=" });',
  },
  "another option with a secret": { trigger: "var a = hmac({ publicKey: process.env.A_SECRET });" },
  "a key in quotes": { trigger: 'var a = github({ "secret": process.env.A_SECRET });' },
  "a function of a namespace": { trigger: "var a = verify_exports.github({ secret: process.env.A_SECRET });" },
  "a function taken from a namespace": {
    trigger: "var { github: mine } = verify_exports; var a = mine({ secret: process.env.A_SECRET });",
  },
  "another name of the function": { trigger: "var mine = github; var a = mine({ secret: process.env.A_SECRET });" },
  "a typed source": { trigger: 'var a = stripe.on("x", { slug: "s", secret: process.env.A_SECRET, pick: [] });' },
  "another name of a typed source": {
    trigger: 'var mine = stripe; var a = mine.on("x", { secret: process.env.A_SECRET });',
  },
  "a condition around it": {
    trigger: "var a = process.env.A_SECRET ? github({ secret: process.env.A_SECRET }) : void 0;",
  },
  and: { trigger: "var a = process.env.A_SECRET && github({ secret: process.env.A_SECRET });" },
  "a condition in it": {
    trigger: 'var a = stripe.on("x", { ...process.env.A_SECRET ? { secret: process.env.A_SECRET } : {} });',
  },
  "a constant": { trigger: "var mine = process.env.A_SECRET; var a = github({ secret: mine });" },
  "a constant with the name of the option": {
    trigger: "var secret = process.env.A_SECRET; var a = github({ secret });",
  },
  "a constant of another file": {
    lib: "var secret = process.env.A_SECRET;",
    trigger: "var a = github({ secret });",
  },
  "a variable that is assigned": {
    trigger: "var mine; mine = process.env.A_SECRET; var a = github({ secret: mine });",
  },
  "a constant of a constant": {
    trigger: "var one = process.env.A_SECRET; var two = one; var a = github({ secret: two });",
  },
  "a name that another function also has": {
    trigger: "var secret = process.env.A_SECRET; var a = github({ secret }); function f(secret) { return secret; }",
  },
  destructuring: { trigger: "var { A_SECRET } = process.env; var a = github({ secret: A_SECRET });" },
  "destructuring with other names and defaults": {
    trigger: 'var { A_SECRET: mine = "", PATH } = process.env; var a = github({ secret: mine }); log(PATH);',
  },
  "destructuring in a function": {
    trigger:
      "var a = make(); function make() { const { A_SECRET } = process.env; return github({ secret: A_SECRET }); }",
  },
  "destructuring of the process": {
    trigger: "var { env: { A_SECRET } } = process; var a = github({ secret: A_SECRET });",
  },
  "destructuring of a parameter": {
    trigger: "var make = ({ A_SECRET }) => github({ secret: A_SECRET }); var a = make(process.env);",
  },
  "the rest of a destructuring": {
    trigger: "var { PATH, ...env } = process.env; var a = github({ secret: env.A_SECRET });",
  },
  "an alias": { trigger: "var env = process.env; var a = github({ secret: env.A_SECRET });" },
  "an alias with a fallback": { trigger: "var env = process.env ?? {}; var a = github({ secret: env.A_SECRET });" },
  "an alias of the process": { trigger: "var p = process; var a = github({ secret: p.env.A_SECRET });" },
  "an alias of another file": {
    lib: "var env = process.env;",
    trigger: "var a = github({ secret: env.A_SECRET });",
    workflow: "log(env.OTHER);",
  },
  "a copy": { trigger: "var env = { ...process.env }; var a = github({ secret: env.A_SECRET });" },
  "a copy with more": {
    lib: 'var env = { MODE: "x", ...process.env };',
    trigger: "var a = github({ secret: env.A_SECRET });",
    workflow: "log(env.MODE);",
  },
  "node:process": {
    trigger: 'import { env } from "node:process";\nvar a = github({ secret: env.A_SECRET });',
  },
  "the default of node:process": {
    trigger: 'import proc from "process";\nvar a = github({ secret: proc.env.A_SECRET });',
  },
  "all of node:process": {
    trigger: 'import * as proc from "node:process";\nvar a = github({ secret: proc.env.A_SECRET });',
  },
  "a required process": {
    trigger: 'var proc = require("node:process"); var a = github({ secret: proc.env.A_SECRET });',
  },
  "an object": {
    lib: "var config = { github: { secret: process.env.A_SECRET }, port: process.env.PORT };",
    trigger: "var a = github({ secret: config.github.secret });",
    workflow: "log(config.port);",
  },
  "an object that has the options": {
    lib: "var config = { github: { secret: process.env.A_SECRET } };",
    trigger: "var a = github(config.github);",
  },
  "an object that is destructured": {
    lib: "var config = Object.freeze({ hooks: { secret: process.env.A_SECRET } });",
    trigger: "var { hooks: { secret } } = config; var a = github({ secret });",
  },
  "options that are spread": {
    trigger: "var shared = { secret: process.env.A_SECRET }; var a = github({ ...shared, tolerance: 1 });",
  },
  "a function that returns it": {
    lib: "function secret() { return process.env.A_SECRET; }",
    trigger: "var a = github({ secret: secret() });",
  },
  "a function that returns the environment": {
    lib: "var env = () => process.env;",
    trigger: "var a = github({ secret: env().A_SECRET });",
  },
  "a function that verifies": {
    lib: 'var verify = (secret) => hmac({ header: "x", secret });',
    trigger: "var a = verify(process.env.A_SECRET);",
  },
  "a function that is called at once": {
    trigger: "var a = ((env) => github({ secret: env.A_SECRET }))(process.env);",
  },
  "a verification of its own": {
    trigger:
      'var a = custom({ name: "x", secret: process.env.A_SECRET, check({ secrets }) { return secrets[0] === "x"; } });',
  },
  "a new value for another variable": {
    trigger: 'process.env.OTHER = "x"; var a = github({ secret: process.env.A_SECRET });',
  },
  "text that contains the name": {
    trigger: 'var a = github({ secret: process.env.A_SECRET }); log("set A_SECRET first", { A_SECRET: 1 });',
  },
};

const expected: Record<string, Code> = {
  "the check of a verification of its own": {
    trigger: 'var a = custom({ name: "x", check: ({ headers }) => headers.get("x") === process.env.A_SECRET });',
  },
  "a check that it is set": {
    trigger: "var secret = process.env.A_SECRET; if (!secret) throw new Error('x'); var a = github({ secret });",
  },
  "a comparison with nothing": {
    trigger:
      "var secret = process.env.A_SECRET; if (secret === void 0 || secret === '') throw 1; var a = github({ secret });",
  },
  "whether it is there": {
    trigger: 'if (!("A_SECRET" in process.env)) throw 1; var a = github({ secret: process.env.A_SECRET });',
  },
  "a fallback that throws": {
    lib: "function need(value) { throw new Error(value); }",
    trigger: 'var a = github({ secret: process.env.A_SECRET ?? need("A_SECRET") });',
  },
  "a trimmed value": { trigger: "var a = github({ secret: process.env.A_SECRET.trim() });" },
  "a split value": { trigger: 'var a = github({ secret: process.env.A_SECRET.split(",").map((one) => one.trim()) });' },
  "the first of a split value": { trigger: "var a = github({ secret: process.env.A_SECRET.split(`,`)[0] });" },
  "part of a value": {
    trigger: 'var a = github({ secret: process.env.A_SECRET?.slice(7).replace(/x/g, "").toLowerCase() });',
  },
  "a value in a template": { trigger: "var a = github({ secret: `${process.env.A_SECRET}` });" },
  "a function of a package around it": { trigger: "var a = github({ secret: clean(process.env.A_SECRET) });" },
  "a function that requires names": {
    lib: "function need(name) { const value = process.env[name]; if (!value) throw new Error(`${name} is missing`); return value; }",
    trigger: 'var a = github({ secret: need("A_SECRET") });',
    workflow: 'log(need("OTHER"));',
  },
  "a function that requires a value": {
    lib: "function need(value, name) { if (value === undefined) throw new Error(name); return value; }",
    trigger: 'var a = github({ secret: need(process.env.A_SECRET, "A_SECRET") });',
    workflow: 'log(need(process.env.OTHER, "OTHER"));',
  },
  "a function that passes the name on": {
    lib: "var read = (name) => process.env[name]; var need = (name) => read(name) ?? fail(name);",
    trigger: 'var a = github({ secret: need("A_SECRET") });',
  },
  "a schema": {
    lib: `${zod}var env = z.object({ A_SECRET: z.string().min(16), MODE: z.enum(["a"]) }).parse(process.env);`,
    trigger: "var a = github({ secret: env.A_SECRET });",
    workflow: "log(env.MODE);",
  },
  "a schema that is extended": {
    lib: `${zod}var base = z.object({ MODE: z.enum(["a"]) }); var env = base.extend({ A_SECRET: z.string() }).parse(process.env);`,
    trigger: "var a = github({ secret: env.A_SECRET });",
  },
  "a schema of named parts": {
    lib: `${zod}var text = z.string().nonempty(); var shape = { A_SECRET: text }; var env = z.object(shape).parse(process.env);`,
    trigger: "var a = github({ secret: env.A_SECRET });",
  },
  "functions of Zod without its object": {
    lib: 'import { object, string } from "zod";\nvar env = object({ A_SECRET: string() }).parse(process.env);',
    trigger: "var a = github({ secret: env.A_SECRET });",
  },
  safeParse: {
    lib: `${zod}var parsed = z.object({ A_SECRET: z.string() }).safeParse(process.env); if (!parsed.success) throw parsed.error; var env = parsed.data;`,
    trigger: "var a = github({ secret: env.A_SECRET });",
  },
  "safeParse, destructured": {
    lib: `${zod}var { data: env, success } = z.object({ A_SECRET: z.string() }).safeParse(process.env); if (!success) throw 1;`,
    trigger: "var a = github({ secret: env.A_SECRET });",
  },
  "safeParse of a function of Zod": {
    lib: `${zod}var schema = z.object({ A_SECRET: z.string() }); var parsed = z.safeParse(schema, process.env); var config = parsed.success ? parsed.data : {};`,
    trigger: "var a = github({ secret: config.A_SECRET });",
  },
  "a schema of an object with some variables": {
    lib: `${zod}var config = z.object({ hook: z.string() }).parse({ hook: process.env.A_SECRET });`,
    trigger: "var a = github({ secret: config.hook });",
  },
  "a schema of one string": {
    lib: `${zod}var secret = z.string().min(1).parse(process.env.A_SECRET);`,
    trigger: "var a = github({ secret });",
  },
  "a copy of what a schema returns": {
    lib: `${zod}var env = { ...z.object({ A_SECRET: z.string() }).parse(process.env) };`,
    trigger: "var a = github({ secret: env.A_SECRET });",
  },
  "t3-env with an explicit list": {
    lib: `${zod}import { createEnv } from "@t3-oss/env-core";\nvar env = createEnv({ server: { A_SECRET: z.string() }, runtimeEnv: { A_SECRET: process.env.A_SECRET } });`,
    trigger: "var a = github({ secret: env.A_SECRET });",
  },
  dotenv: {
    trigger: 'import "dotenv/config";\nvar a = github({ secret: process.env.A_SECRET });',
  },
};

const verified = "var a = github({ secret: process.env.A_SECRET });";
const shown: Record<string, Code> = {
  "a read in a workflow": { trigger: verified, workflow: "log(process.env.A_SECRET);" },
  "a shared constant": {
    lib: "var secret = process.env.A_SECRET;",
    trigger: "var a = github({ secret });",
    workflow: "sign(secret);",
  },
  "destructuring in a workflow": { trigger: verified, workflow: "var { A_SECRET } = process.env; log(A_SECRET);" },
  "a name in quotes": { trigger: verified, workflow: 'library("A_SECRET");' },
  "a computed name": { trigger: verified, workflow: "log(process.env[`${x}_SECRET`]);" },
  "a function that gets a computed name": {
    lib: "function need(name) { return process.env[name]; }",
    trigger: 'var a = github({ secret: need("A_SECRET") });',
    workflow: "log(need(x));",
  },
  "a function that is passed on": {
    lib: "function need(name) { return process.env[name]; }",
    trigger: 'var a = github({ secret: need("A_SECRET") });',
    workflow: '["OTHER"].map(need);',
  },
  "a function that logs": {
    lib: "function need(name) { log(process.env[name]); return process.env[name]; }",
    trigger: 'var a = github({ secret: need("A_SECRET") });',
  },
  "the whole environment, passed to a package": { trigger: verified, workflow: "spawn('x', { env: process.env });" },
  "all of the environment": { trigger: verified, workflow: "for (const name in process.env) log(name);" },
  "the whole process": { trigger: verified, workflow: "library(process);" },
  "a transform": {
    trigger:
      "var a = source({ verify: github({ secret: process.env.A_SECRET }) }).attach({ transform: () => process.env.A_SECRET });",
  },
  "another option": { trigger: "var a = hmac({ header: process.env.A_SECRET, secret: process.env.A_SECRET });" },
  "another option of a typed source": {
    trigger: 'var a = stripe.on("x", { secret: process.env.A_SECRET, slug: process.env.A_SECRET });',
  },
  "a comparison": { trigger: verified, workflow: "if (x === process.env.A_SECRET) log(1);" },
  "part of a text": { trigger: verified, workflow: "log(`Bearer ${process.env.A_SECRET}`);" },
  "an object that is passed on": {
    lib: "var config = { github: { secret: process.env.A_SECRET } };",
    trigger: "var a = github(config.github);",
    workflow: "log(config);",
  },
  "a computed key of an object": {
    lib: "var config = { secret: process.env.A_SECRET };",
    trigger: "var a = github(config);",
    workflow: "log(config[x]);",
  },
  "a field of a class": { trigger: verified, workflow: "class C { secret = process.env.A_SECRET; }" },
  "a global variable": { trigger: verified, workflow: "globalThis.x = process.env.A_SECRET;" },
  "a schema with a rule": {
    lib: `${zod}var env = z.object({ A_SECRET: z.string().regex(/x/) }).parse(process.env);`,
    trigger: "var a = github({ secret: env.A_SECRET });",
  },
  "a schema that changes it": {
    lib: `${zod}var env = z.object({ A_SECRET: z.string() }).transform((all) => all).parse(process.env);`,
    trigger: "var a = github({ secret: env.A_SECRET });",
  },
  "a schema whose result is passed on": {
    lib: `${zod}var env = z.object({ A_SECRET: z.string() }).parse(process.env);`,
    trigger: "var a = github({ secret: env.A_SECRET });",
    workflow: "log(env);",
  },
  "a function of the project named parse": {
    lib: "var mine = { parse: (all) => ({ ...all }) }; var env = mine.parse(process.env);",
    trigger: "var a = github({ secret: env.A_SECRET });",
  },
  "a function of the project named github": {
    trigger: verified,
    workflow: "var client = { github: (o) => [o.secret] }; client.github({ secret: process.env.A_SECRET });",
  },
  "a parameter named github": {
    trigger: verified,
    workflow: "function f(github) { github({ secret: process.env.A_SECRET }); }",
  },
  "a package in the bundle": {
    trigger: `${verified}\n// ../node_modules/pkg/index.js\nvar b = process.env.A_SECRET;`,
  },
  "a file that is loaded later": {
    lib: "var secret = process.env.A_SECRET;",
    trigger: "var a = github({ secret });",
    workflow: 'log(await import("../chunks/env.mjs"));',
  },
  "a method of the object": {
    lib: "var config = { secret: process.env.A_SECRET, get() { return this.secret; } };",
    trigger: "var a = github({ secret: config.secret });",
    workflow: "log(config.get());",
  },
  "a method of the text that is passed on": { trigger: verified, workflow: "log(process.env.A_SECRET.trim);" },
  "a function of a package for each part": {
    trigger: verified,
    workflow: 'process.env.A_SECRET.split("").map(log);',
  },
  "a number": { trigger: verified, workflow: "log(+process.env.A_SECRET);" },
  "a promise of the process": { trigger: verified, workflow: 'log((await import("node:process")).env);' },
};

describe("workers get of a secret that is verified by", () => {
  test.each(Object.entries(hidden))("%s: nothing", (_, code) => {
    expect(given(code)).toBe("nothing");
  });
  test.each(Object.entries(expected))("%s: a placeholder", (_, code) => {
    expect(given(code)).toBe("a placeholder");
  });
});

test.each(Object.entries(shown))("workers get a secret that other code reads: %s", (_, code) => {
  expect(given(code)).toBe("the secret");
});

const secretOf = (trigger: string) => read({ trigger }).secretOf.get("triggers/t.ts");

test("workers get every variable if the code has syntax that is not known", () => {
  expect(read({ trigger: `${verified} ??!` }).manifest).toEqual({ reads: [], readsAny: true, secrets: [] });
});

test("a secret is known by its trigger if it is the only option", () => {
  expect(secretOf(verified)).toBe("A_SECRET");
  expect(secretOf("var { A_SECRET } = process.env; var a = github({ secret: A_SECRET });")).toBe("A_SECRET");
  expect(secretOf('var a = stripe.on("x", { slug: "s", secret: process.env.A_SECRET });')).toBe("A_SECRET");
  expect(secretOf('var a = hmac({ header: "x", secret: process.env.A_SECRET });')).toBeUndefined();
  expect(secretOf("var a = github({ secret: process.env.A_SECRET.trim() });")).toBeUndefined();
  expect(secretOf("var a = github({ secret: [process.env.A_SECRET, process.env.B] });")).toBeUndefined();
});
