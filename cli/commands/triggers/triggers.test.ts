import { expect, it } from "vitest";
import type { Methods } from "../../../server/contract/project/endpoint.ts";
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

it.each([
  ["number", { id: 9007199254740992, rate: 1e21 }, /rounds them: \/id$/m],
  ["string", { id: "9007199254740993", rate: 1e21 }, /^$/],
] as const)("test reads numbers as the trigger does: bigints %s", async (bigints, body, warning) => {
  const bodies: unknown[] = [];
  for (const subject of ["new-signup", "signup"]) {
    const { exitCode, stderr } = await runFakeCli(
      ["triggers", "test", subject, "--data", '{"id": 9007199254740993, "rate": 1e21}'],
      {
        routes: {
          "GET /triggers": () => ({
            data: [{ ...fakeTrigger, slug: "new-signup", endpoint: "signup", body: [{ type: "json", bigints }] }],
          }),
          "POST /verdicts": (request) => {
            bodies.push(request.body);
            return { data: [] };
          },
        },
      },
    );
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(warning);
  }
  expect(bodies).toEqual([
    { trigger: "new-signup", body },
    { endpoint: "signup", body },
  ]);
});

it("a header without a colon is wrong usage", async () => {
  const { exitCode, stderr } = await runFakeCli(
    ["triggers", "test", "signup", "--data", "{}", "--header", "x-event"],
    {},
  );
  expect(exitCode).toBe(2);
  expect(stderr).toContain('A header is a name and a value, e.g. "x-github-event: issues".');
});

it.each([
  [["signup"], "--data or --since is missing."],
  [["--data", "{}"], "A trigger or an endpoint is missing."],
  [["signup", "--data", "{}", "--since", "7d"], "--since evaluates recorded deliveries, and --data a new body."],
  [["--since", "7d", "--header", "x-event: a"], "--since evaluates recorded deliveries, and --data a new body."],
  [["signup", "--data", "{}", "--fail-on-change"], "--fail-on-change needs --since."],
  [["signup", "--data", "{}", "--endpoint", "billing"], "--endpoint needs --since."],
  [["--since", "soon"], "The duration must be a number with a unit, e.g. 30m, 24h or 7d, at most 36525d (100 years)."],
])("test %j is wrong usage", async (args, message) => {
  const { exitCode, stderr, asked } = await runFakeCli(["triggers", "test", ...args], {});
  expect([exitCode, asked]).toEqual([2, []]);
  expect(stderr).toContain(message);
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

it.each<[Methods, string]>([
  [["POST"], " POST /triggers/signup "],
  [["GET"], " GET /triggers/signup "],
  [["GET", "POST"], " GET, POST /triggers/signup "],
])("list shows the methods of an endpoint: %j", async (methods, text) => {
  expect((await list({ ...fakeTrigger, methods })).stdout).toContain(text);
});

it("list says that a trigger without a target wakes runs", async () => {
  const { stdout } = await list({ ...fakeTrigger, slug: "shipped", target: null, attachmentId: "shipped" });
  expect(stdout).toMatch(/^shipped +POST \/triggers\/signup +wakes runs +no /m);
});
