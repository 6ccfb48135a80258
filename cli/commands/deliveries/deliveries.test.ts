import { describe, expect, it } from "vitest";
import { ownHeaders } from "../../../server/contract/own-headers.ts";
import { type FakeRoute, fakeTrigger, runFakeCli } from "../testing/fake-host.ts";

const verdict = {
  trigger: "new-signup",
  attachmentId: "new-signup:welcome-email",
  target: fakeTrigger.target,
  outcome: "request_mismatch",
  runId: null,
  reasons: [
    { pointer: "/email", code: "invalid_type", message: "Expected string", expected: "string", actual: "\u001b[2J5" },
  ],
};
const summary = {
  id: "dlv_01K9ZR7M3QD4V8XN2T5B6C7E8F",
  endpoint: "signup",
  receivedAt: "2026-11-21T09:57:00.000Z",
  method: "POST",
  headers: { "content-type": "application/json" },
  bodyBytes: 11,
  bodySha256: null,
  outcome: "held",
  responseStatus: 202,
  problem: null,
  verdicts: [verdict],
  unlistedVerdicts: [],
  durationMs: 1.5,
  redeliveryOf: null,
  decision: "Waits for a release: request: /email: expected string, was \u001b[2J5",
};
const delivery = {
  ...summary,
  body: Buffer.from('{"email":5}').toString("base64"),
  json: { email: 5 },
  evaluated: null,
};
const released = {
  id: summary.id,
  endpoint: "signup",
  result: "released",
  runs: [{ runId: "run_new", trigger: "new-signup", target: fakeTrigger.target }],
  message: null,
};
const still = { ...released, id: "dlv_2", result: "held", runs: [], message: "No trigger matches." };

const cli = (argv: string, routes: Record<string, FakeRoute>) => runFakeCli(argv.split(" "), { routes });

describe("deliveries list", () => {
  it("shows each delivery with its outcome and the reason, and how to continue", async () => {
    const { stdout, stderr, asked } = await cli("deliveries list --outcome held --since 24h --limit 1", {
      "GET /deliveries": () => ({ data: [summary], nextCursor: "older" }),
    });
    expect(asked).toEqual(["GET /deliveries?outcome=held&since=2026-11-20T10%3A00%3A00.000Z&limit=1"]);
    expect(stdout).toMatch(
      /◫ held\s+202\s+dlv_01K9\S+\s+signup\s+3 min.* ago.*Waits for a release: request: \/email: expected string/,
    );
    expect(stdout).not.toContain("\u001b[2J");
    expect(stderr).toBe("Older deliveries: --cursor older\n");
  });

  it("continues at a cursor, reads short pages to the limit, and prints the page with --json", async () => {
    const { stdout, asked } = await cli("deliveries list --cursor a --limit 2 --json", {
      "GET /deliveries": ({ query }) =>
        query.get("cursor") === "a" ? { data: [], nextCursor: "b" } : { data: [summary], nextCursor: null },
    });
    expect(asked).toEqual(["GET /deliveries?limit=2&cursor=a", "GET /deliveries?limit=2&cursor=b"]);
    expect(JSON.parse(stdout)).toEqual({ data: [summary], nextCursor: null });
  });

  it("rejects a status that is none", async () => {
    expect(await cli("deliveries list --status 7", {})).toMatchObject({ exitCode: 2 });
  });
});

describe("deliveries get and explain", () => {
  it("reveals the body and the headers", async () => {
    const recorded = { ...delivery, headers: { "x-customer": "Ada\u001b[2J", "x-topic": "paid" } };
    const { stdout, asked } = await cli(`deliveries get ${summary.id} --reveal`, {
      [`POST /deliveries/${summary.id}/reveal`]: () => recorded,
    });
    expect(asked).toEqual([`POST /deliveries/${summary.id}/reveal`]);
    expect(stdout).toContain("x-customer: Ada\\u001b[2J\n  x-topic: paid");
    expect(stdout).toContain('"email": 5');
  });

  it("shows the response, the verdicts and the body, and how to release it", async () => {
    const routes = { [`GET /deliveries/${summary.id}`]: () => delivery };
    const { stdout, stderr } = await cli(`deliveries get ${summary.id}`, routes);
    expect(stdout).toContain("202 after 1.5 ms");
    expect(stdout).toMatch(/decision\s+Waits for a release: request: \/email: expected string/);
    expect(stdout).toContain("✗ request mismatch");
    expect(stdout).toContain('"email": 5');
    expect(stderr).toContain(`signalbox deliveries release ${summary.id}`);
    const later = {
      ...delivery,
      outcome: "accepted",
      headers: { [ownHeaders.releasedAt]: "2026-11-21T09:58:00.000Z" },
    };
    const shown = await cli(`deliveries get ${summary.id}`, { [`GET /deliveries/${summary.id}`]: () => later });
    expect(shown.stdout).toMatch(/released\s+2026-11-21T09:58:00\.000Z/);
    expect(JSON.parse((await cli(`deliveries get ${summary.id} --json`, routes)).stdout)).toEqual(delivery);
  });

  it("suggests the id that contains the given part", async () => {
    const { exitCode, stderr } = await cli("deliveries get C7E8F", {
      "GET /deliveries": () => ({ data: [summary], nextCursor: null }),
    });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`Did you mean "${summary.id}"?`)]);
  });

  it("shows the verdicts of the current triggers", async () => {
    const unlisted = { outcome: "filter_mismatch", pointer: null, actual: null, count: 70 };
    const { stdout, stderr, asked } = await cli(`deliveries explain ${summary.id} --trigger new-signup`, {
      [`GET /deliveries/${summary.id}/verdicts`]: () => ({ verdicts: [verdict], unlistedVerdicts: [unlisted] }),
    });
    expect(asked).toEqual([`GET /deliveries/${summary.id}/verdicts?trigger=new-signup`]);
    expect(stdout).toContain("/email: expected string");
    expect(stderr).toContain("70 more triggers do not match");
  });
});

describe("deliveries redeliver", () => {
  it("prints the id of the new delivery", async () => {
    const again = {
      ...delivery,
      id: "dlv_new",
      verdicts: [{ ...verdict, outcome: "matched", runId: "run_1", reasons: [] }],
    };
    const sent: unknown[] = [];
    const route: FakeRoute = ({ body }) => {
      sent.push(body);
      return again;
    };
    const path = `POST /deliveries/${summary.id}/redeliver`;
    const { stdout, stderr } = await cli(`deliveries redeliver ${summary.id} --trigger new-signup`, { [path]: route });
    expect([stdout, sent]).toEqual(["dlv_new\n", [{ trigger: "new-signup" }]]);
    expect(stderr).toContain("1 run started");
    const missed = await cli(`deliveries redeliver ${summary.id}`, {
      [path]: () => ({ ...again, verdicts: [verdict] }),
    });
    expect(missed.stderr).toContain("No run started: Waits for a release: request: /email: expected string");
    expect(missed.stderr).toContain("signalbox deliveries explain dlv_new");
  });
});

describe("deliveries release", () => {
  const path = "POST /deliveries/release";

  it("releases batch by batch to the end, and sums up", async () => {
    const bodies: unknown[] = [];
    const { exitCode, stdout, stderr } = await cli("deliveries release --endpoint signup --since 7d", {
      [path]: ({ body }) => {
        bodies.push(body);
        return bodies.length === 1
          ? { released: 1, data: [released], nextCursor: "next" }
          : { released: 0, data: [still], nextCursor: null };
      },
    });
    const filter = {
      endpoint: "signup",
      since: "2026-11-14T10:00:00.000Z",
      until: "2026-11-21T10:00:00.000Z",
      dryRun: false,
    };
    expect(bodies).toEqual([filter, { ...filter, cursor: "next" }]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /✓ released\s+dlv_01K9\S+\s+signup\s+run_new\n◫ held\s+dlv_2\s+signup\s+No trigger matches\.\n/,
    );
    expect(stderr).toContain("1 delivery released, 1 still held.");
  });

  it("ends at --until", async () => {
    await cli("deliveries release --until 2h", {
      [path]: ({ body }) => {
        expect(body).toEqual({ until: "2026-11-21T08:00:00.000Z", dryRun: false });
        return { released: 0, data: [], nextCursor: null };
      },
    });
  });

  it("sends ids in batches of 50, and exits with 1 if one failed", async () => {
    const ids = Array.from({ length: 60 }, (_, n) => `dlv_${n}`);
    const sizes: number[] = [];
    const { exitCode, stdout } = await cli(`deliveries release ${ids.join(" ")} --json`, {
      [path]: ({ body }) => {
        const { ids: some } = body as { ids: string[] };
        sizes.push(some.length);
        const data = some.map((id) => ({ ...still, id, result: id === "dlv_7" ? "failed" : "already_released" }));
        return { released: 0, data, nextCursor: null };
      },
    });
    expect(sizes).toEqual([50, 10]);
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([
      1,
      { dryRun: false, released: 0, alreadyReleased: 59, held: 0, failed: 1 },
    ]);
  });

  it("with --dry-run says what would start", async () => {
    const { stdout, stderr } = await cli("deliveries release --all --dry-run", {
      [path]: ({ body }) => {
        expect(body).toMatchObject({ dryRun: true });
        const runs = released.runs.map((run) => ({ ...run, runId: null }));
        return { released: 1, data: [{ ...released, runs }], nextCursor: null };
      },
    });
    expect(stdout).toMatch(/WOULD START\n✓ matches\s+dlv_01K9\S+\s+signup\s+workflow welcome-email\n/);
    expect(stderr).toBe("1 delivery would be released.\n");
  });

  it.each(["", " dlv_1 --all"])("needs either ids or a filter: release%s", async (rest) => {
    expect(await cli(`deliveries release${rest}`, {})).toMatchObject({ exitCode: 2, asked: [] });
  });
});
