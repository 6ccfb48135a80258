import { expect, it } from "vitest";
import { fakeTrigger, runFakeCli } from "../testing/fake-host.ts";

const list = (...triggers: unknown[]) =>
  runFakeCli(["triggers", "list"], { routes: { "GET /triggers": () => ({ data: triggers }) } });

it("test sends headers with their values, also repeated ones", async () => {
  const bodies: unknown[] = [];
  const { exitCode } = await runFakeCli(
    [
      "triggers",
      "test",
      "signup",
      "--data",
      "{}",
      "--header",
      "X-Event: paid",
      "--header",
      "x-topic:a",
      "--header",
      "X-Topic: b",
    ],
    {
      routes: {
        "GET /triggers": () => ({ data: [fakeTrigger] }),
        "POST /verdicts": ({ body }) => {
          bodies.push(body);
          return { data: [] };
        },
      },
    },
  );
  expect(exitCode).toBe(0);
  expect(bodies).toEqual([{ endpoint: "signup", headers: { "x-event": ["paid"], "x-topic": ["a", "b"] }, body: {} }]);
});

it("a header without a colon is wrong usage", async () => {
  const { exitCode, stderr } = await runFakeCli(
    ["triggers", "test", "signup", "--data", "{}", "--header", "x-event"],
    {},
  );
  expect(exitCode).toBe(2);
  expect(stderr).toContain('A header is a name and a value, e.g. "x-github-event: issues".');
});

it("verify, dedupe and rateLimit are columns if a trigger has them", async () => {
  const plain = await list(fakeTrigger);
  expect(plain.stdout).not.toMatch(/HEADERS|SIGNED|REPEATS|LIMIT/);
  const guarded = {
    ...fakeTrigger,
    slug: "pushed",
    headers: { type: "object" },
    verify: "github",
    dedupe: { header: null, field: null, windowMs: 86_400_000 },
    rateLimit: { requests: 100, per: "minute" },
  };
  const { stdout } = await list(fakeTrigger, guarded);
  expect(stdout).toMatch(/FILTER +HEADERS +SIGNED +DEDUPE +RATE LIMIT +FILE/);
  expect(stdout).toMatch(/new-signup .* no +no +no +default keys +no +triggers/);
  expect(stdout).toMatch(/pushed .* no +yes +github +signature +100\/minute +triggers/);
});
