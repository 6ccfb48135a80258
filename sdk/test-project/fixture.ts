import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** A recorded webhook. `deliver` sends it with its headers. */
export interface Fixture {
  readonly [fixtureKind]: true;
  readonly headers: Readonly<Record<string, string>>;
  /** Default: the first method of the endpoint. */
  readonly method?: "POST" | "GET";
  /** The query of the URL. Default: none. */
  readonly query?: string;
  /** The JSON of the body; the text or the bytes of a body that is not JSON. */
  readonly body: unknown;
}

/** Marks fixtures: any other object is a body. */
export const fixtureKind: unique symbol = Symbol.for("signalbox.fixture") as never;

/** The form of a fixture's file, as `signalbox fixtures pull` writes it. Any other JSON is the body alone. */
interface FixtureFile {
  signalbox: "fixture";
  headers: Record<string, string>;
  /** With `"GET"`, the body is the query. */
  method?: "POST" | "GET";
  /** The query of the URL, without keys. */
  query?: string;
  /** One of these: JSON, text, or bytes in base64. */
  json?: unknown;
  text?: string;
  base64?: string;
}

/**
 * Reads a recorded webhook from `fixtures/` in the current folder. `name` is a path below it without `.json`
 * (`github/issues.opened`), or only its last part if no other fixture has the same. `signalbox fixtures pull
 * <endpoint>` records fixtures. A file that you write yourself can have the body alone. `folder`: another folder.
 * Throws an Error if there is no such fixture, or several.
 *
 * @example
 *   import { fixture, testProject } from "signalbox/testing";
 *
 *   const app = await testProject();
 *   const delivery = await app.deliver("github", fixture("issues.opened"));
 */
export function fixture(name: string, { folder = "fixtures" }: { folder?: string } = {}): Fixture {
  const root = resolve(folder);
  const file = findFixture(root, name);
  const value = parse(file);
  if (!isFixtureFile(value)) return { [fixtureKind]: true, headers: {}, body: value };
  const body = value.base64 === undefined ? (value.text ?? value.json) : Buffer.from(value.base64, "base64");
  const { headers, method, query } = value;
  return { [fixtureKind]: true, headers, ...(method && { method }), ...(query && { query }), body };
}

function findFixture(root: string, name: string): string {
  const exact = join(root, `${name}.json`);
  if (existsSync(exact)) return exact;
  const all = existsSync(root)
    ? readdirSync(root, { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".json"))
        .map((path) => path.replaceAll("\\", "/").slice(0, -".json".length))
        .sort()
    : [];
  const found = all.filter((path) => path.endsWith(`/${name}`));
  const [first] = found;
  if (first !== undefined && found.length === 1) return join(root, `${first}.json`);
  if (found.length > 1)
    throw new Error(`Several fixtures are named ${name}: ${found.join(", ")}. Name one of them with its folder.`);
  const known = all.length === 0 ? "The folder has no fixtures." : `The folder has: ${all.slice(0, 20).join(", ")}.`;
  throw new Error(
    `There is no fixture ${name} in ${root}. ${known} Record fixtures with \`signalbox fixtures pull <endpoint>\`.`,
  );
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new Error(`${file} is not valid JSON: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

function isFixtureFile(value: unknown): value is FixtureFile {
  return (
    typeof value === "object" &&
    value !== null &&
    "signalbox" in value &&
    value.signalbox === "fixture" &&
    "headers" in value &&
    typeof value.headers === "object"
  );
}
