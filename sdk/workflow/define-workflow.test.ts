import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { definitionKind } from "../definition.ts";
import { defineWorkflow } from "./define-workflow.ts";

const input = z.object({ to: z.string() });
/** As plain JavaScript calls it. */
const define: (options: unknown) => unknown = defineWorkflow as never;

describe("defineWorkflow", () => {
  it("returns a marked definition with all options", () => {
    const output = z.string();
    const retries = { attempts: 5 };
    const workflow = defineWorkflow({
      slug: "welcome",
      input,
      output,
      retries,
      timeout: "5m",
      concurrency: 2,
      maxQueued: 9,
      run: () => "done",
    });
    expect(workflow[definitionKind]).toBe("workflow");
    expect(workflow).toMatchObject({ slug: "welcome", retries, timeout: "5m", concurrency: 2, maxQueued: 9 });
    expect([workflow.input, workflow.output]).toEqual([input, output]);
    expect(Object.isFrozen(workflow)).toBe(true);
  });

  it("leaves missing options undefined", () => {
    const workflow = defineWorkflow({ slug: "welcome", input, run() {} });
    expect(workflow).toMatchObject({
      output: undefined,
      retries: undefined,
      timeout: undefined,
      concurrency: undefined,
      maxQueued: undefined,
      onFailure: undefined,
    });
  });

  it("calls onFailure as a method of its options, and rejects one that is no function", () => {
    const options = { slug: "welcome", input, run() {}, onFailure: vi.fn<() => void>() };
    const { onFailure } = defineWorkflow(options);
    onFailure?.({ id: "run_1" } as never, {} as never);
    expect(options.onFailure.mock.contexts).toEqual([options]);
    expect(() => define({ ...options, onFailure: "mail" })).toThrow(
      'defineWorkflow({ slug: "welcome" }): onFailure must be a function',
    );
  });

  it("passes input and context to run", async () => {
    const workflow = defineWorkflow({ slug: "welcome", input, run: async (value, ctx) => [value.to, ctx.run.attempt] });
    const run: (input: unknown, ctx: unknown) => unknown = workflow.run as never;
    expect(await run({ to: "Ada" }, { run: { attempt: 2 } })).toEqual(["Ada", 2]);
  });

  it.each([
    [
      "a function",
      () => {},
      "defineWorkflow needs an object, but got a function. Write defineWorkflow({ slug, input, run }).",
    ],
    [
      "an empty slug",
      { slug: "", input, run() {} },
      'defineWorkflow: slug must be a string, but is empty. Write slug: "welcome-email".',
    ],
    [
      "no input",
      { slug: "a", run() {} },
      'defineWorkflow({ slug: "a" }): input must be a Zod schema, but is missing. Write input: z.object({ … }).',
    ],
    [
      "an output that is no schema",
      { slug: "a", input, output: "text", run() {} },
      'output must be a Zod schema, but is "text".',
    ],
    [
      "no run",
      { slug: "a", input },
      'defineWorkflow({ slug: "a" }): run must be a function, but is missing. Write async run(input, ctx) { … }.',
    ],
  ])("rejects %s with the problem, its position and the fix", (_, options, message) => {
    expect(() => define(options)).toThrow(TypeError);
    expect(() => define(options)).toThrow(message);
  });
});
