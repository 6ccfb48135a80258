import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { operations } from "../../auth/access/operations.ts";
import { openApiDocument, restRoutes } from "./rest-app.ts";

const document = z
  .object({
    openapi: z.string(),
    paths: z.record(
      z.string(),
      z.record(z.string(), z.looseObject({ operationId: z.string(), security: z.array(z.unknown()).optional() })),
    ),
  })
  .parse(JSON.parse(JSON.stringify(openApiDocument())));

const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, operation })),
);

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1", async () => {
    const result = await new Validator().validate(JSON.parse(JSON.stringify(openApiDocument())));
    expect(result).toEqual({ valid: true });
    expect(document.openapi).toBe("3.1.0");
  });

  it("is the one in docs/openapi.json (else: node scripts/write-openapi.ts)", () => {
    const written: unknown = JSON.parse(readFileSync(join(import.meta.dirname, "../../../docs/openapi.json"), "utf8"));
    expect(written).toEqual(JSON.parse(JSON.stringify(openApiDocument())));
  });

  it("describes the routes whose operations are in the access table, and no others", () => {
    expect(routes.map(({ route }) => route).sort()).toEqual(
      restRoutes.map(({ method, path }) => `${method} ${path}`).sort(),
    );
    expect(routes.filter(({ operation }) => !Object.hasOwn(operations, operation.operationId))).toEqual([]);
  });

  it("marks exactly the open routes as needing no key", () => {
    const open = routes.filter(({ operation }) => operation.security?.length === 0).map(({ route }) => route);
    expect(open.sort()).toEqual(
      restRoutes
        .filter(({ operation }) => operation.access === "open")
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    );
  });

  it("gives each operation a name of its own", () => {
    expect(new Set(routes.map(({ operation }) => operation.operationId)).size).toBe(routes.length);
  });

  it("describes every property and every parameter", () => {
    expect(undescribed(openApiDocument())).toEqual([]);
    const schema = { properties: { id: { type: "string" }, at: { type: "string", description: "When" } } };
    const parameters = [{ name: "id", in: "path" }];
    const body = { schema: { properties: { ok: {} } } };
    const get = { parameters, responses: { 200: body } };
    const document = { components: { schemas: { Run: schema } }, paths: { "/runs/{id}": { get } } };
    expect(undescribed(document)).toEqual(["Run.id", "/runs/{id}.ok", "/runs/{id}?id"]);
  });

  it("has no schema that generators read as an object without properties", () => {
    expect(findEmptyObjects(openApiDocument())).toEqual([]);
    const wrong = [{ type: ["object", "null"] }, { type: "object" }];
    expect(findEmptyObjects({ wrong })).toEqual(wrong);
  });
});

/** Such as `Record<string, never>` in TypeScript. */
function findEmptyObjects(value: unknown): object[] {
  if (Array.isArray(value)) return value.flatMap(findEmptyObjects);
  if (typeof value !== "object" || value === null) return [];
  const { type, ...rest } = value as { type?: unknown };
  const isObject = type === "object" || (Array.isArray(type) && type.includes("object"));
  const isEmpty = isObject && !("properties" in rest) && !("additionalProperties" in rest);
  return [...(isEmpty ? [value] : []), ...Object.values(value).flatMap(findEmptyObjects)];
}

/**
 * Properties and parameters without a description, such as `Run.error.name` and `/runs/{id}?wait`. A reference has the
 * description of its schema.
 */
function undescribed(document: object): string[] {
  const { components, paths } = document as {
    components: { schemas: Record<string, unknown> };
    paths: Record<string, Record<string, { parameters?: { name: string; description?: string }[] }>>;
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).flatMap((operation) => {
      const parameters = (operation.parameters ?? []).filter(({ description }) => description === undefined);
      return [...propertiesIn(operation, path), ...parameters.map(({ name }) => `${path}?${name}`)];
    }),
  );
  return [...Object.entries(components.schemas).flatMap(([name, schema]) => propertiesIn(schema, name)), ...operations];
}

/** Not the properties of examples, which are values. */
const notSchemas: ReadonlySet<string> = new Set(["example", "examples", "default", "enum"]);

function propertiesIn(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => propertiesIn(item, path));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, below]: [string, unknown]) => {
    if (notSchemas.has(key)) return [];
    if (key !== "properties" || typeof below !== "object" || below === null) return propertiesIn(below, path);
    return Object.entries(below as Record<string, object>).flatMap(([name, property]) => {
      const at = `${path}.${name}`;
      const isDescribed = "description" in property || "$ref" in property;
      return [...(isDescribed ? [] : [at]), ...propertiesIn(property, at)];
    });
  });
}
