import { describe, expect, it } from "vitest";
import { z } from "zod";
import * as mini from "zod/mini";
import { z as z3 } from "zod/v3";
import { definitionKind, type TargetReference } from "../definition.ts";
import { defineWorkflow } from "../workflow/define-workflow.ts";
import { defineEndpoint } from "./define-endpoint.ts";
import { defineWebhookSource } from "./define-webhook-source.ts";

const request = z.object({ to: z.string() });
const workflow = defineWorkflow({ slug: "welcome", input: request, run() {} });
const transform = (payload: { to: string }) => payload;
/** As plain JavaScript calls it. */
const define: (options: unknown) => { attach: (attachment: unknown) => unknown } = defineWebhookSource as never;

describe("defineWebhookSource", () => {
  it("returns a marked definition with all options", () => {
    const filter = z.object({ to: z.literal("a") });
    const headers = z.object({ "x-event": z.literal("a") });
    const source = defineWebhookSource({ slug: "new-signup", endpoint: "crm/signup", request, filter, headers });
    expect(source[definitionKind]).toBe("source");
    expect(source).toMatchObject({ slug: "new-signup", endpoint: "crm/signup" });
    expect(source.request).toBe(request);
    expect(source.filter).toBe(filter);
    expect(source.headers).toBe(headers);
    expect(Object.isFrozen(source)).toBe(true);
  });

  it("attaches a workflow, with a transform or without", () => {
    const source = defineWebhookSource({ slug: "a", endpoint: "a", request });
    expect(source.attach({ workflow })).toEqual({
      [definitionKind]: "trigger",
      source,
      target: workflow,
      transform: undefined,
    });
    expect(source.attach({ workflow, transform })).toEqual({
      [definitionKind]: "trigger",
      source,
      target: workflow,
      transform,
    });
  });

  it("attaches the reference that replaces a workflow in the sources bundle", () => {
    const reference: TargetReference = { [definitionKind]: "reference", kind: "workflow", slug: "welcome" };
    expect(define({ slug: "a", endpoint: "a", request }).attach({ workflow: reference })).toMatchObject({
      [definitionKind]: "trigger",
      target: reference,
    });
  });

  it.each([
    ["Zod 4", z.object({})],
    ["Zod 3", z3.object({})],
    ["zod/mini", mini.object({})],
  ])("takes schemas of %s", (_, schema) => {
    expect(() => defineWebhookSource({ slug: "a", endpoint: "a", request: schema, filter: schema })).not.toThrow();
  });

  it.each([
    [
      "nothing",
      undefined,
      "defineWebhookSource needs an object, but got nothing. Write defineWebhookSource({ slug, endpoint, request }).",
    ],
    [
      "no slug",
      { endpoint: "a", request },
      'defineWebhookSource: slug must be a string, but is missing. Write slug: "new-signup".',
    ],
    [
      "no endpoint",
      { slug: "a", request },
      'defineWebhookSource({ slug: "a" }): endpoint must be a string, but is missing. Write endpoint: "signup".',
    ],
    [
      "no request",
      { slug: "a", endpoint: "a" },
      'defineWebhookSource({ slug: "a" }): request must be a Zod schema, but is missing. Write request: z.object({ … }).',
    ],
    [
      "a shape for a schema",
      { slug: "a", endpoint: "a", request: { to: z.string() } },
      "request must be a Zod schema, but is a plain object.",
    ],
    [
      "a function for a filter",
      { slug: "a", endpoint: "a", request, filter: () => true },
      "filter must be a Zod schema, but is a function.",
    ],
  ])("rejects %s with the problem, its position and the fix", (_, options, message) => {
    expect(() => define(options)).toThrow(TypeError);
    expect(() => define(options)).toThrow(message);
  });

  it.each([
    [
      "no target",
      {},
      'defineWebhookSource({ slug: "a" }).attach: workflow must be made by defineWorkflow, but is missing. Import the default export of a file in workflows/.',
    ],
    [
      "a module for a workflow",
      { workflow: { default: workflow } },
      "workflow must be made by defineWorkflow, but is a plain object.",
    ],
    [
      "a source for a workflow",
      { workflow: defineWebhookSource({ slug: "b", endpoint: "b", request }) },
      "workflow must be made by defineWorkflow, but is a source.",
    ],
    [
      "a transform that is no function",
      { workflow, transform: { to: "a" } },
      "transform must be a function, but is a plain object. Write transform: (payload) => ({ … }), or leave it out.",
    ],
  ])("does not attach %s", (_, attachment, message) => {
    const { attach } = define({ slug: "a", endpoint: "a", request });
    expect(() => attach(attachment)).toThrow(TypeError);
    expect(() => attach(attachment)).toThrow(message);
  });
});

it("a source has the responses of its endpoint", () => {
  const responses = { onMismatch: "skip", reply: { accepted: { body: "On it" } } } as const;
  expect(defineWebhookSource({ slug: "a", endpoint: "a", request, ...responses })).toMatchObject(responses);
});

describe("defineEndpoint", () => {
  const endpoint = {
    endpoint: "github",
    dedupe: { field: "/id" },
    rateLimit: { requests: 1, per: "second" },
    body: "form",
    bigints: "string",
    onMismatch: "skip",
    reply: { body: "ok" },
  } as const;

  it("gives its options to each source, which has its own slug and schemas", () => {
    const { source } = defineEndpoint(endpoint);
    const filter = z.object({ to: z.literal("a") });
    const [one, other] = [source({ slug: "one", request, filter }), source({ slug: "other", request })];
    expect(one).toMatchObject({ ...endpoint, slug: "one", request, filter });
    expect(other).toMatchObject({ ...endpoint, slug: "other", request, filter: undefined });
    expect(one.attach({ workflow })).toMatchObject({ source: one, target: workflow });
  });

  it("gives its headers to each source that has none of its own", () => {
    const headers = z.object({ "x-event": z.string() });
    const own = z.object({ "x-event": z.literal("a") });
    const { source } = defineEndpoint({ endpoint: "github", headers });
    expect(source({ slug: "one", request }).headers).toBe(headers);
    expect(source({ slug: "other", request, headers: own }).headers).toBe(own);
  });

  it("names the wrong option of plain JavaScript", () => {
    const plain = defineEndpoint as unknown as (options: unknown) => { source: (own: unknown) => unknown };
    expect(() => plain(undefined)).toThrow(
      'defineEndpoint needs an object, but got nothing. Write defineEndpoint({ endpoint: "github" }).',
    );
    expect(() => plain({ endpoint: 7 })).toThrow("defineEndpoint: endpoint must be a string, but is 7.");
    expect(() => plain({ endpoint: "a" }).source({ slug: "b" })).toThrow(
      'endpoint.source({ slug: "b" }): request must be a Zod schema, but is missing.',
    );
  });
});
