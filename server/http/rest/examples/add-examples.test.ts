import { describe, expect, it } from "vitest";
import { z } from "zod";
import { jsonSchema } from "../../../contract/json.ts";
import { openApiDocument } from "../rest-app.ts";
import { checkAnswer, isJson } from "../testing/check-answer.ts";
import { bearer, makeKey, openTestService } from "../testing/test-service.ts";

const bodySchema = z.object({
  content: z.record(z.string(), z.object({ example: jsonSchema.optional() })).default({}),
});
const operationSchema = z.object({
  operationId: z.string(),
  parameters: z
    .array(
      z.object({ name: z.string(), in: z.string(), required: z.boolean().optional(), example: jsonSchema.optional() }),
    )
    .default([]),
  requestBody: bodySchema.optional(),
  responses: z.record(z.string(), bodySchema),
});
const { paths } = z
  .object({ paths: z.record(z.string(), z.record(z.string(), operationSchema)) })
  .parse(JSON.parse(JSON.stringify(openApiDocument())));

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => {
    const required = operation.parameters.filter((parameter) => parameter.required);
    const valueOf = (name: string) => String(required.find((parameter) => parameter.name === name)?.example);
    const query = required.filter((parameter) => parameter.in === "query").map(({ name }) => [name, valueOf(name)]);
    return {
      ...operation,
      required,
      method: method.toUpperCase(),
      path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => valueOf(name)),
      query: new URLSearchParams(query).toString(),
      answers: Object.entries(operation.responses).flatMap(([status, { content }]) =>
        Object.entries(content).flatMap(([contentType, { example }]) =>
          contentType === "application/problem+json" ? [] : [{ status: Number(status), contentType, example }],
        ),
      ),
    };
  }),
);

describe("the examples of the OpenAPI document", () => {
  it.each(operations)("$operationId has one of each required parameter, of its request and of each response", (one) => {
    const { required, requestBody, answers } = one;
    expect(required.filter(({ example }) => example === undefined)).toEqual([]);
    for (const { example } of Object.values(requestBody?.content ?? {})) expect(example).toBeDefined();
    expect(answers.length).toBeGreaterThan(0);
    expect(answers.filter(({ example }) => example === undefined)).toEqual([]);
  });

  it.each(operations)("$operationId has responses that match their schemas", ({ method, path, answers }) => {
    for (const { status, contentType, example } of answers)
      expect(() => checkAnswer({ method, path, status, contentType, body: JSON.stringify(example) })).not.toThrow();
    const texts = answers.filter(({ contentType }) => !isJson(contentType)).map(({ example }) => example);
    expect(texts).toEqual(texts.map(() => expect.stringMatching(/\S/)));
  });

  it("are requests that the routes accept", async () => {
    const service = await openTestService({ mode: "deployed" });
    const { secret } = await makeKey(service, { kind: "api" });
    for (const { operationId, method, path, query, requestBody, required } of operations) {
      // A feed that opens does not end.
      if (operationId === "followDeliveries" || (required.length === 0 && !requestBody)) continue;
      const [body] = Object.values(requestBody?.content ?? {});
      const answer = await service.send(method, query === "" ? path : `${path}?${query}`, {
        headers: {
          ...bearer(secret),
          accept: "application/json, text/event-stream",
          ...(body && { "content-type": "application/json" }),
        },
        ...(body && { body: JSON.stringify(body.example) }),
      });
      const { code = null } = z.object({ code: z.string().optional() }).catch({}).parse(answer.json);
      // Most of the named things do not exist in this service.
      expect([null, "not_found", "nothing_recorded"], `${method} ${path}: ${answer.text}`).toContain(code);
    }
  });
});
