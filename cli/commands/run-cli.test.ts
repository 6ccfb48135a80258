import { describe, expect, it } from "vitest";
import {
  fakeAlert,
  fakeInvitation,
  fakeKey,
  fakePerson,
  fakeRun,
  fakeTrigger,
  runFakeCli,
} from "./testing/fake-host.ts";

const verdict = {
  trigger: "new-signup",
  attachmentId: "new-signup:welcome-email",
  target: fakeTrigger.target,
  outcome: "matched",
  runId: null,
  reasons: [],
};
const run = {
  ...fakeRun,
  error: { ...fakeRun.error, stack: null },
  payload: null,
  input: { to: "ada@example.com" },
  output: null,
};
const started = {
  ok: true,
  runId: "run_new",
  runs: [{ runId: "run_new", trigger: "new-signup", target: fakeTrigger.target }],
};

const askedRun = {
  ...run,
  id: "run_asked",
  status: "completed",
  target: { kind: "agent", slug: "triage" },
  error: null,
  output: "Good day\n\u001b[31mto you",
};
const usage = { inputTokens: 100, cachedInputTokens: null, outputTokens: 10, reasoningTokens: null };
const moment = "2026-11-21T09:57:02.000Z";
const answered = (name: string, text: string) => ({
  name,
  attempt: 1,
  startedAt: moment,
  finishedAt: moment,
  step: {
    type: "model",
    model: { provider: "openai", modelId: "gpt-5-mini" },
    content: [
      { type: "reasoning", text: "Politely." },
      { type: "text", text },
    ],
    finishReason: "stop",
    usage,
    costUsd: 0,
  },
});
const askedTrace = {
  steps: [
    {
      type: "model",
      model: { provider: "openai", modelId: "gpt-5-mini" },
      content: [
        { type: "text", text: "One moment." },
        { type: "tool-call", toolCallId: "a", toolName: "lookup", input: { id: 7 }, isMalformed: false },
      ],
      finishReason: "tool-calls",
      usage,
      costUsd: 0.0123,
    },
    { type: "tool", toolCallId: "a", toolName: "lookup", input: { id: 7 }, outcome: "done", output: { name: "Ada" } },
  ].map((step, index) => ({ name: `step ${index}`, attempt: 1, startedAt: moment, finishedAt: moment, step })),
  approvals: [
    {
      name: "approval 1.2 refund",
      request: { toolCallId: "b", toolName: "refund", input: { cents: 5 } },
      requestedAt: moment,
      until: null,
      decidedAt: null,
      decision: null,
    },
  ],
  live: null,
  usage,
  costUsd: 0.0123,
};

const askedSummary = {
  ...fakeRun,
  id: askedRun.id,
  status: "waiting",
  target: askedRun.target,
  error: null,
  tokens: 12_345,
  costUsd: 0.0123,
  attempt: 1,
  maxAttempts: 1,
  finishedAt: null,
};

const routes = {
  "GET /triggers": () => ({ data: [fakeTrigger] }),
  "POST /triggers/new-signup/disable": ({ body }: { body: unknown }) => ({
    slug: "new-signup",
    disabled: { at: "2026-11-21T10:00:00.000Z", ...(body as object) },
  }),
  "POST /triggers/new-signup/enable": () => ({ slug: "new-signup", disabled: null }),
  "GET /url": () => ({
    endpoint: "signup",
    url: "https://hooks.example.com/triggers/signup?token=sbk_x",
    keyId: fakeKey.id,
  }),
  "GET /runs": () => ({ data: [fakeRun], nextCursor: null }),
  [`GET /runs/${fakeRun.id}`]: () => run,
  [`GET /runs/${fakeRun.id}/timeline`]: () => ({ data: [], nextCursor: null }),
  [`POST /runs/${fakeRun.id}/resume`]: () => run,
  [`POST /runs/${fakeRun.id}/replay`]: () => started,
  [`POST /runs/${fakeRun.id}/cancel`]: () => run,
  "POST /verdicts": () => ({ data: [verdict] }),
  "GET /alerts": () => ({ data: [fakeAlert], nextCursor: null }),
  "POST /alerts/test": () => ({ data: [{ destination: "webhook", isSent: true, error: null }] }),
  "GET /people": () => ({ data: [fakePerson] }),
  "POST /invitations": () => fakeInvitation,
  "POST /people/per_01K9ZR7M3QD4V8XN2T5B6C7E8F/reset-link": () => ({
    ...fakeInvitation,
    kind: "reset",
    note: "ada@example.com",
    personId: fakePerson.id,
  }),
  "POST /setup-links": () => ({ ...fakeInvitation, kind: "setup", role: "admin" }),
  "POST /agents/triage/runs": () => ({
    ok: true,
    runId: askedRun.id,
    runs: [{ runId: askedRun.id, trigger: null, target: askedRun.target }],
  }),
  [`GET /runs/${askedRun.id}`]: () => askedRun,
  [`GET /runs/${askedRun.id}/agent`]: () => askedTrace,
  [`GET /runs/${fakeRun.id}/agent`]: () => askedTrace,
  [`POST /runs/${askedRun.id}/approvals`]: () => askedRun,
  "GET /keys": () => ({ data: [fakeKey] }),
  "POST /keys": ({ body }: { body: unknown }) => ({ ...fakeKey, ...(body as object), secret: "sbk_secret" }),
  [`POST /keys/${fakeKey.id}/rotate`]: () => ({
    key: { ...fakeKey, id: "key_next", secret: "sbk_next" },
    old: { ...fakeKey, replacedBy: "key_next", expiresAt: "2026-11-22T10:00:00.000Z" },
  }),
  [`POST /keys/${fakeKey.id}/revoke`]: () => ({ ...fakeKey, revokedAt: "2026-11-21T10:00:00.000Z" }),
};

/** `keys list` of one key. */
const listKeysOf = (given: object) =>
  runFakeCli(["keys", "list"], { routes: { "GET /keys": () => ({ data: [{ ...fakeKey, ...given }] }) } });

const commands: [command: string, line: string[]][] = [
  ["triggers list", ["triggers", "list"]],
  ["triggers url", ["triggers", "url", "new-signup"]],
  ["triggers disable", ["triggers", "disable", "new-signup", "--reason", "noisy"]],
  ["triggers enable", ["triggers", "enable", "new-signup"]],
  ["triggers runs list", ["triggers", "runs", "list", "new-signup"]],
  ["triggers test", ["triggers", "test", "signup", "--data", "{}"]],
  ["runs list", ["runs", "list", "--since", "24h"]],
  ["runs approvals", ["runs", "approvals"]],
  ["runs get", ["runs", "get", fakeRun.id]],
  ["runs resume", ["runs", "resume", fakeRun.id]],
  ["runs replay", ["runs", "replay", fakeRun.id]],
  ["runs cancel", ["runs", "cancel", fakeRun.id]],
  ["runs approve", ["runs", "approve", askedRun.id]],
  ["runs deny", ["runs", "deny", askedRun.id, "refund", "--reason", "Ask the manager first."]],
  ["agents run", ["agents", "run", "triage", "--prompt", "Hello", "--no-wait"]],
  ["alerts list", ["alerts", "list", "--status", "active"]],
  ["alerts test", ["alerts", "test"]],
  ["keys create", ["keys", "create"]],
  ["keys list", ["keys", "list"]],
  ["keys rotate", ["keys", "rotate", fakeKey.id]],
  ["keys revoke", ["keys", "revoke", fakeKey.id]],
  ["people list", ["people", "list"]],
  ["people invite", ["people", "invite", "--role", "operator", "--note", "Ada"]],
  ["people reset-password", ["people", "reset-password", "ada@example.com"]],
  ["people setup-link", ["people", "setup-link"]],
];

describe("alerts", () => {
  it("are a table with the result of the newest message to each destination", async () => {
    const { stdout } = await runFakeCli(["alerts", "list"], { routes });
    expect(stdout).toContain("! active");
    expect(stdout).toContain("12 runs of workflow welcome-email failed");
    expect(stdout).toContain("webhook: pending, status 500");
  });

  it("test exits with 1 if a destination does not accept the message, and says which", async () => {
    const failed = { data: [{ destination: "slack", isSent: false, error: "status 404" }] };
    const { exitCode, stdout, stderr } = await runFakeCli(["alerts", "test"], {
      routes: { "POST /alerts/test": () => failed },
    });
    expect([exitCode, stdout]).toEqual([1, "slack: failed, status 404\n"]);
    expect(stderr).toContain("The test alert was not sent to slack.");
  });
});

describe("every command", () => {
  it.each(commands)("%s --json prints one JSON document on stdout, and nothing else", async (_name, line) => {
    const { exitCode, stdout, stderr } = await runFakeCli([...line, "--json"], { routes });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toBeTypeOf("object");
    expect(stderr).toBe("");
  });

  it.each(commands)("%s prints no escape codes without a terminal", async (_name, line) => {
    const { exitCode, stdout } = await runFakeCli(line, { routes });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/\n$/);
    expect(stdout).not.toContain("\u001b");
  });

  const all = [
    ...commands.map(([name]) => name),
    "dev",
    "build",
    "start",
    "worker",
    "triggers send",
    "init",
    "triggers",
    "runs",
    "agents",
    "alerts",
    "keys",
    "people",
    "triggers runs",
    "store",
    "store migrate",
    "store copy",
  ];
  it.each(all)("%s --help shows its usage and an example, and exits with 0", async (name) => {
    const { exitCode, stdout, stderr } = await runFakeCli([...name.split(" "), "--help"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Usage: signalbox ${name}`);
    expect(stdout).toMatch(/--project <dir>[\s\S]+--json[\s\S]+Examples?:\n  \$ /);
    expect(stderr).toBe("");
  });
});

describe("wrong usage exits with 2 and prints the error on stderr", () => {
  it.each([
    [["tirggers", "list"], /Unknown command 'tirggers'\. Did you mean triggers\?/],
    [["triggers", "lst"], /Unknown command 'lst'\. Did you mean list\?/],
    [["triggers", "list", "--endpiont", "x"], /Unknown option '--endpiont'\. Did you mean --endpoint\?/],
    [["triggers", "url"], /Missing required argument 'slug-or-endpoint'/],
    [["triggers", "url", "a", "b"], /Too many arguments/],
    [["triggers", "test", "signup"], /--data or --since is missing/],
    [["triggers", "test", "signup", "--data", "{"], /--data is not valid JSON/],
    [["triggers", "test", "signup", "--data", "[1]", "--method", "GET"], /The body of a GET is its query/],
    [["triggers", "test", "signup", "--data", "{}", "--method", "PUT"], /The method must be POST or GET/],
    [["triggers", "test", "--since", "7d", "--query", "a=1"], /--since evaluates recorded deliveries/],
    [
      ["triggers", "test", "signup", "--data", '{"a":1e400}'],
      /--data is not valid JSON: The body has a number that is too large: .* It is at \/a\./,
    ],
    [["triggers", "test", "signup", "--data", "@/no/such/file"], /\/no\/such\/file cannot be read \(ENOENT\)/],
    [["triggers", "runs", "list", "x", "--status", "done"], /Allowed choices are queued, running/],
    [["triggers", "runs", "list", "x", "--limit", "0"], /The limit must be a whole number from 1 to 100/],
    [["runs", "list", "--min-cost", "much"], /--min-cost <dollars>.* It must be a number of at least 0\./],
    [["runs", "list", "--min-tokens", "1.5"], /--min-tokens .* It must be a whole number of at least 0\./],
    [["runs", "list", "--since", "yesterday"], /The period must be a number with a unit.*or an ISO 8601 time/],
    [["dev", "--port", "70000"], /The port must be a whole number from 0 to 65535/],
    [["keys", "create", "--expires", "soon"], /The lifetime must be a number with a unit/],
    [["keys", "create", "--api", "--endpoint", "signup"], /--api and --endpoint cannot be combined/],
    [["keys", "create", "--api"], /An API token needs a scope: add --scope read/],
    [["keys", "create", "--endpoint", "Sign Up"], /"Sign Up" is not an endpoint/],
    [["keys", "rotate"], /Missing required argument 'id'/],
    [["keys", "rotate", "key_x", "--overlap", "soon"], /The overlap must be a number with a unit/],
    [["keys", "rotate", "key_x", "--overlap", "91d"], /at most 90d/],
    [["wroker"], /Unknown command 'wroker'\. Did you mean worker\?/],
    [["start", "--role", "both"], /The role must be one of all, web, worker/],
    [["worker", "--port", "3000"], /Unknown option '--port'/],
  ])("%j", async (line, message) => {
    const { exitCode, stdout, stderr } = await runFakeCli(line, { routes });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stdout).toBe("");
  });

  it("also as a JSON document, with --json anywhere", async () => {
    const { exitCode, stdout, stderr } = await runFakeCli(["--json", "triggers", "lst"]);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: "wrong_usage",
        message: "Unknown command 'lst'. Did you mean list?",
        fix: "Run `signalbox triggers --help` for usage.",
      },
    });
    expect(stderr).toBe("");
  });

  it("a missing command prints the help", async () => {
    const { exitCode, stdout, stderr } = await runFakeCli(["triggers"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("Usage: signalbox triggers");
    expect(stdout).toBe("");
  });
});

describe("a failure exits with 1, with the error and the fix", () => {
  it("an unknown slug suggests a similar one", async () => {
    const { exitCode, stderr, stdout } = await runFakeCli(["triggers", "test", "new-signpu", "--data", "{}"], {
      routes,
    });
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      '✗ Unknown trigger or endpoint "new-signpu". Did you mean "new-signup"?\n  Run `signalbox triggers list` to see all triggers.\n',
    );
    expect(stdout).toBe("");
  });

  it.each([
    [["triggers", "list", "--endpoint", "sinup"], 'Did you mean "signup"?'],
    [["runs", "get", `${fakeRun.id.slice(0, -1)}`], `Did you mean "${fakeRun.id}"?`],
    [["runs", "replay", fakeRun.id.slice(-8)], `Did you mean "${fakeRun.id}"?`],
    [["keys", "revoke", fakeKey.id.replace("5B6", "5B7")], `Did you mean "${fakeKey.id}"?`],
  ])("%j", async (line, hint) => {
    const { exitCode, stdout } = await runFakeCli([...line, "--json"], { routes });
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).error.message).toContain(hint);
  });

  it("an unknown trigger is an error, not an empty list of runs", async () => {
    const none = { ...routes, "GET /runs": () => ({ data: [], nextCursor: null }) };
    expect((await runFakeCli(["triggers", "runs", "list", "new-sign"], { routes: none })).stderr).toContain(
      'Did you mean "new-signup"?',
    );
    expect(
      (await runFakeCli(["triggers", "runs", "list", "new-signup", "--workflow", "welcome-mail"], { routes: none }))
        .stderr,
    ).toContain('Did you mean "welcome-email"?');
    const empty = await runFakeCli(["triggers", "runs", "list", "new-signup"], { routes: none });
    expect(empty).toMatchObject({
      exitCode: 0,
      stdout: "",
      stderr: expect.stringContaining("signalbox triggers send new-signup"),
    });
  });

  it("an unexpected response is an error", async () => {
    const { exitCode, stderr } = await runFakeCli(["keys", "list"], {
      routes: { "GET /keys": () => ({ hello: "world" }) },
    });
    expect(exitCode).toBe(1);
    expect(stderr).toContain("cannot read");
  });

  it("an internal error prints its stack on stderr, and JSON on stdout", async () => {
    const broken = {
      "GET /keys": () => {
        throw new TypeError("oh no");
      },
    };
    const { exitCode, stdout, stderr } = await runFakeCli(["keys", "list", "--json"], { routes: broken });
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout).error.code).toBe("internal");
    expect(stderr).toContain("TypeError: oh no");
  });
});

const approval = (name: string, decision: object | null = null) => ({
  ...askedTrace.approvals[0],
  name: `approval ${name}`,
  request: { toolCallId: name, toolName: name.split(" ")[1], input: {} },
  decision,
});
const decide = async (line: string[], approvals: object[]) => {
  const bodies: unknown[] = [];
  const own = {
    ...routes,
    [`GET /runs/${askedRun.id}/agent`]: () => ({ ...askedTrace, approvals }),
    [`POST /runs/${askedRun.id}/approvals`]: ({ body }: { body: unknown }) => (bodies.push(body), askedRun),
  };
  return { ...(await runFakeCli(["runs", ...line], { routes: own })), bodies };
};

describe("a pending tool call", () => {
  const decided = approval("1.1 refund", { isApproved: true, reason: null, by: "Ada" });

  it("is approved, or denied with a reason", async () => {
    expect(await decide(["approve", askedRun.id], [decided, approval("2.1 refund")])).toMatchObject({
      exitCode: 0,
      stdout: "approved  refund {}\n",
      bodies: [{ name: "approval 2.1 refund", isApproved: true }],
    });
    expect((await decide(["deny", askedRun.id, "--reason", "No"], [approval("2.1 refund")])).bodies).toEqual([
      { name: "approval 2.1 refund", isApproved: false, reason: "No" },
    ]);
  });

  it("is listed over all runs, with its expiry", async () => {
    const open = {
      ...approval("2.1 refund"),
      request: { toolCallId: "x", toolName: "refund", input: { cents: 9900 } },
      until: "2026-11-28T10:00:00.000Z",
    };
    const own = {
      "GET /runs": () => ({ data: [askedSummary], nextCursor: null }),
      [`GET /runs/${askedRun.id}/agent`]: () => ({ ...askedTrace, approvals: [decided, open] }),
    };
    const { asked, stdout, stderr } = await runFakeCli(["runs", "approvals", "--target", "triage"], { routes: own });
    expect(asked).toEqual(["GET /runs?needsApproval=true&target=triage&limit=20", `GET /runs/${askedRun.id}/agent`]);
    expect(stdout).toBe(
      'RUN        AGENT   REQUESTED  EXPIRES  APPROVAL             CALL\nrun_asked  triage  2 min ago  in 7 d   approval 2.1 refund  refund {"cents":9900}\n',
    );
    expect(stderr).toContain("signalbox runs approve <id>");
    expect(
      (await runFakeCli(["runs", "approvals"], { routes: { "GET /runs": () => ({ data: [], nextCursor: null }) } }))
        .stderr,
    ).toBe("There are no pending approvals.\n");
  });

  it("is selected by approval name, or by tool name if that is unambiguous", async () => {
    const several = [approval("1.1 refund"), approval("1.2 refund"), approval("1.3 close")];
    expect((await decide(["approve", askedRun.id, "close"], several)).bodies).toMatchObject([
      { name: "approval 1.3 close" },
    ]);
    expect((await decide(["approve", askedRun.id, "approval 1.2 refund"], several)).bodies).toMatchObject([
      { name: "approval 1.2 refund" },
    ]);
    for (const line of [
      ["approve", askedRun.id],
      ["approve", askedRun.id, "refund"],
    ]) {
      expect(await decide(line, several)).toMatchObject({
        exitCode: 1,
        bodies: [],
        stderr: expect.stringMatching(
          /has several pending calls:\n +approval 1\.1 refund  refund \{\}\n[\s\S]+Add one of these names/,
        ),
      });
    }
    expect(await decide(["approve", askedRun.id, "pay"], several)).toMatchObject({
      exitCode: 1,
      bodies: [],
      stderr: expect.stringContaining('has no pending call "pay". Pending calls:'),
    });
  });

  it("is an error if all calls are decided", async () => {
    expect(await decide(["approve", askedRun.id], [decided])).toMatchObject({
      exitCode: 1,
      bodies: [],
      stderr: expect.stringContaining("has no pending approval"),
    });
  });
});

describe("results for people", () => {
  it("triggers url is exactly one line", async () => {
    const { stdout, stderr } = await runFakeCli(["triggers", "url", "new-signup"], { routes });
    expect(stdout).toBe("https://hooks.example.com/triggers/signup?token=sbk_x\n");
    expect(stderr).toBe("");
  });

  it("only the key, or the id of a replay, is on stdout", async () => {
    expect((await runFakeCli(["keys", "create"], { routes })).stdout).toBe("sbk_secret\n");
    expect((await runFakeCli(["keys", "rotate", fakeKey.id], { routes })).stdout).toBe("sbk_next\n");
    expect((await runFakeCli(["runs", "replay", fakeRun.id], { routes })).stdout).toBe("run_new\n");
  });

  it("runs are a table with whole ids, marks and relative times", async () => {
    const { stdout } = await runFakeCli(["triggers", "runs", "list", "new-signup", "--limit", "5"], { routes });
    expect(stdout).toBe(
      [
        "STATUS    RUN                             TARGET                  CREATED    TOOK    ATTEMPT  ERROR",
        "✗ failed  run_01K9ZR7M3QD4V8XN2T5B6C7E8F  workflow welcome-email  3 min ago  1.40 s  3/3      the mail server said no",
        "",
      ].join("\n"),
    );
  });

  it("keys are a table without secrets", async () => {
    const { stdout } = await runFakeCli(["keys", "list"], { routes });
    expect(stdout).toContain(
      "✓ valid  key_01K9ZR7M3QD4V8XN2T5B6C7E8F  webhook  github  sbk_C5Nv…  signup     never      2027-02-18\n",
    );
  });

  it("keys that expire soon are listed with the fix, unless they are replaced", async () => {
    const soon = { expiresAt: "2026-11-24T10:00:00.000Z" };
    expect(await listKeysOf(soon)).toMatchObject({
      stdout: expect.stringContaining("⧖ expiring"),
      stderr: expect.stringContaining(`expires in 3 d. Replace it: signalbox keys rotate ${fakeKey.id}`),
    });
    expect(await listKeysOf({ ...soon, replacedBy: "key_next" })).toMatchObject({
      stdout: expect.stringContaining("⧖ replaced"),
      stderr: "",
    });
    expect(await listKeysOf({ ...soon, revokedAt: "2026-11-20T11:00:00.000Z" })).toMatchObject({
      stdout: expect.stringContaining("⊘ revoked"),
      stderr: "",
    });
  });
});

describe("requests to the service", () => {
  it("filters of runs are passed on", async () => {
    const { asked } = await runFakeCli(
      ["triggers", "runs", "list", "new-signup", "--workflow", "welcome-email", "--status", "failed", "--limit", "7"],
      { routes },
    );
    expect(asked).toEqual(["GET /runs?trigger=new-signup&target=welcome-email&status=failed&limit=7"]);
  });

  it.each([
    ["runs list", "/runs", "?limit=1&cursor=a", "runs"],
    ["triggers runs list new-signup", "/runs", "?trigger=new-signup&limit=1&cursor=a", "runs"],
    ["runs approvals", "/runs", "?needsApproval=true&limit=1&cursor=a", "runs"],
    ["alerts list", "/alerts", "?limit=1&cursor=a", "alerts"],
  ])("%s continues at a cursor, and prints the next one", async (line, path, query, rows) => {
    const data = [rows === "runs" ? fakeRun : fakeAlert];
    const { asked, stderr } = await runFakeCli([...line.split(" "), "--cursor", "a", "--limit", "1"], {
      routes: { ...routes, [`GET ${path}`]: () => ({ data, nextCursor: "b" }) },
    });
    expect(asked[0]).toBe(`GET ${path}${query}`);
    expect(stderr.endsWith(`Older ${rows}: --cursor b\n`)).toBe(true);
  });

  it("cost, tokens and time of runs are passed on, over as many short pages as it takes", async () => {
    const pages = [
      { data: [], nextCursor: "c1" },
      { data: [askedSummary], nextCursor: "c2" },
      { data: [], nextCursor: null },
    ];
    const { asked, stdout } = await runFakeCli(
      [
        "runs",
        "list",
        "--target",
        "triage",
        "--min-cost",
        "0.5",
        "--min-tokens",
        "1000",
        "--since",
        "24h",
        "--limit",
        "2",
      ],
      { routes: { "GET /runs": () => pages.shift() } },
    );
    const query = "target=triage&since=2026-11-20T10%3A00%3A00.000Z&minTokens=1000&minCostUsd=0.5";
    expect(asked).toEqual([
      `GET /runs?${query}&limit=2`,
      `GET /runs?${query}&limit=2&cursor=c1`,
      `GET /runs?${query}&limit=1&cursor=c2`,
    ]);
    expect(stdout).toBe(
      [
        "STATUS     RUN        TARGET        CREATED    TOOK  ATTEMPT  TOKENS  COST    ERROR",
        "◔ waiting  run_asked  agent triage  3 min ago        1/1      12,345  $0.012",
        "",
      ].join("\n"),
    );
  });

  it("a new key has its name, endpoints and expiry", async () => {
    let sent: unknown;
    const spying = {
      ...routes,
      "POST /keys": (request: { body: unknown }) => ((sent = request.body), routes["POST /keys"](request)),
    };
    await runFakeCli(
      ["keys", "create", "--name", "gh", "--endpoint", "signup", "--endpoint", "github/ci", "--expires", "90d"],
      { routes: spying },
    );
    expect(sent).toEqual({
      kind: "webhook",
      name: "gh",
      endpoints: ["signup", "github/ci"],
      expiresAt: "2027-02-19T10:00:00.000Z",
    });
  });

  it("a rotation has its overlap in seconds", async () => {
    const sent: unknown[] = [];
    const rotated = { key: { ...fakeKey, secret: "sbk_next" }, old: fakeKey };
    const spying = {
      ...routes,
      [`POST /keys/${fakeKey.id}/rotate`]: ({ body }: { body: unknown }) => (sent.push(body), rotated),
    };
    for (const overlap of [[], ["--overlap", "0"], ["--overlap", "7d"]])
      await runFakeCli(["keys", "rotate", fakeKey.id, ...overlap], { routes: spying });
    expect(sent).toEqual([{ overlapSeconds: 86_400 }, { overlapSeconds: 0 }, { overlapSeconds: 604_800 }]);
  });

  it("a body comes from the command line, a file or stdin", async () => {
    const bodies: unknown[] = [];
    const spying = {
      ...routes,
      "POST /verdicts": ({ body }: { body: unknown }) => (bodies.push(body), { data: [verdict] }),
    };
    const test = (data: string) =>
      runFakeCli(["triggers", "test", "new-signup", "--data", data], {
        routes: spying,
        stdin: '{"from":"stdin"}',
        cwd: import.meta.dirname,
      });
    await test('{"from":"line"}');
    await test("-");
    await test("@testing/body.json");
    expect(bodies).toEqual(["line", "stdin", "file"].map((from) => ({ trigger: "new-signup", body: { from } })));
  });

  it("a number that is rounded on the way to the service is reported", async () => {
    const routed = { ...routes, "POST /verdicts": () => ({ data: [verdict] }) };
    const line = ["triggers", "test", "new-signup", "--data", '{"id":9007199254740993,"n":1}'];
    const { exitCode, stderr } = await runFakeCli(line, { routes: routed });
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining("rounds them: /id\n")]);
  });

  it("an invalid id is encoded in the path", async () => {
    const { asked } = await runFakeCli(["runs", "get", "../keys"], { routes });
    expect(asked[0]).toBe("GET /runs/..%2Fkeys");
  });
});

describe("agents run", () => {
  const ask = ["agents", "run", "triage", "--prompt", "Hello"];
  const steps = [...askedTrace.steps, answered("model 2", "Good day\n\u001b[31mto you")];
  const approvals = [{ ...askedTrace.approvals[0], decision: { isApproved: true, reason: null, by: "Ada" } }];
  const live = {
    step: "model 2",
    attempt: 1,
    startedAt: moment,
    updatedAt: moment,
    text: "",
    textCut: 0,
    reasoning: "Politely.",
    reasoningCut: 0,
    toolCalls: [],
    toolCallsCut: 0,
  };
  /** Responses of the service, poll by poll. */
  const looks = [
    { status: "running", trace: { ...askedTrace, approvals: [] } },
    { status: "waiting", trace: askedTrace },
    { status: "running", trace: { ...askedTrace, approvals, live } },
    { status: "running", trace: { ...askedTrace, approvals, live: { ...live, text: "Good" } } },
    { status: "running", trace: { ...askedTrace, approvals, live: { ...live, text: "Good day\n\u001b[31m" } } },
    { status: "completed", trace: { ...askedTrace, approvals, steps } },
  ];
  const looking = () => {
    let at = -1;
    return {
      ...routes,
      "GET /runs/run_asked": () => ({
        ...askedRun,
        status: looks[(at += 1)]?.status,
        finishedAt: looks[at]?.status === "completed" ? moment : null,
      }),
      "GET /runs/run_asked/agent": () => looks[at]?.trace,
    };
  };

  it("streams text, tool calls, pending approvals and cost, each once", async () => {
    const { exitCode, stdout } = await runFakeCli(ask, { routes: looking() });
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      [
        "One moment.",
        '→ lookup {"id":7}',
        '← lookup done: {"name":"Ada"}',
        'Waiting for approval of refund {"cents":5}: signalbox runs approve run_asked "approval 1.2 refund" (or deny)',
        "(reasoning) Politely.",
        "Good day",
        "\\u001b[31mto you",
        "run_asked  100 tokens in, 10 out, $0.012\n",
      ].join("\n"),
    );
  });

  it("with --json prints one line per event, and everything in the last line", async () => {
    const { stdout, stderr } = await runFakeCli([...ask, "--json"], { routes: looking() });
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line): Record<string, unknown> => JSON.parse(line));
    expect(lines.map(({ type, step }) => [type, step])).toEqual([
      ["text", "step 0"],
      ["tool_call", "step 0"],
      ["tool_result", "step 1"],
      ["approval", undefined],
      ["reasoning", "model 2"],
      ["text", "model 2"],
      ["text", "model 2"],
      ["text", "model 2"],
      ["ended", undefined],
    ]);
    expect(lines.filter(({ step, type }) => step === "model 2" && type === "text").map(({ text }) => text)).toEqual([
      "Good",
      " day\n\u001b[31m",
      "to you",
    ]);
    expect(lines.at(-1)).toMatchObject({ run: { id: "run_asked", status: "completed" }, agent: { costUsd: 0.0123 } });
    expect(stderr).toBe("");
  });

  it("with --no-wait prints the run's id alone", async () => {
    const { exitCode, stdout } = await runFakeCli([...ask, "--no-wait"], { routes });
    expect([exitCode, stdout]).toEqual([0, "run_asked\n"]);
  });

  it("says that a scripted model answered", async () => {
    const [first] = askedTrace.steps;
    const none = { inputTokens: null, cachedInputTokens: null, outputTokens: null, reasoningTokens: null };
    const trace = {
      ...askedTrace,
      steps: [
        {
          ...first,
          step: {
            ...first?.step,
            model: { provider: "scripted-model", modelId: "scripted-model" },
            usage: none,
            costUsd: 0,
          },
        },
      ],
      approvals: [],
      usage: none,
      costUsd: 0,
    };
    const { stdout } = await runFakeCli(["agents", "run", "triage", "--prompt", "Hello"], {
      routes: { ...routes, [`GET /runs/${askedRun.id}/agent`]: () => trace },
    });
    expect(stdout).toMatch(/\nrun_asked {2}scripted, no model\n$/);
  });

  it("exits with 1 and prints the error when the run failed", async () => {
    const failed = {
      ...askedRun,
      status: "failed",
      output: null,
      error: { name: "budget_exceeded", message: "The run has used 1,500 tokens", stack: null },
    };
    const { exitCode, stdout } = await runFakeCli(ask, { routes: { ...routes, "GET /runs/run_asked": () => failed } });
    expect([exitCode, stdout.split("\n").slice(-3)]).toEqual([
      1,
      ["failed: The run has used 1,500 tokens", "run_asked  100 tokens in, 10 out, $0.012", ""],
    ]);
  });
});
