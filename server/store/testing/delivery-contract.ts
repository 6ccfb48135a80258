import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Json } from "../../contract/json.ts";
import type { Verdict, VerdictOutcome } from "../../contract/delivery.ts";
import type { DeliveryFilter } from "../../ports/store/delivery-store.ts";
import type { Store } from "../../ports/store.ts";
import { aDelivery, aRun, aVerdict, epoch, kindsOf, type OpenStore, readPages } from "./factories.ts";
import { deliveryFilters, isDeliveryOf } from "./list-filters.ts";

const hour = 3_600_000;

/** The tests of deliveries that every store passes. */
export function deliveryContract(open: OpenStore): void {
  describe("deliveries", () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    it("returns a delivery as it was recorded, its body byte for byte", async () => {
      const verdict: Verdict = {
        trigger: "new-signup",
        attachmentId: "new-signup:welcome-email",
        target: { kind: "workflow", slug: "welcome-email" },
        outcome: "request_mismatch",
        runId: null,
        reasons: [
          {
            pointer: "/email",
            code: "invalid_format",
            message: "Invalid email address",
            expected: "email",
            actual: "\u0000\ud800",
          },
        ],
      };
      const problem = {
        type: "/errors/request_mismatch",
        title: "No",
        status: 422,
        code: "request_mismatch",
        detail: "No.",
      };
      const body = Buffer.from('{"name":"\\u0000\\ud800 ü"}');
      const delivery = aDelivery({
        body,
        outcome: "rejected",
        responseStatus: 422,
        problem,
        verdicts: [verdict],
        headers: { "x-a": "ü, \u0001" },
      });
      await store.recordDelivery(delivery);
      const { receivedAt, keyId: _, ...same } = delivery;
      expect(await store.getDelivery(delivery.id)).toEqual({
        ...same,
        receivedAt: new Date(receivedAt).toISOString(),
        body: body.toString("base64"),
        json: { name: "\u0000\ud800 ü" },
      });
      expect(await store.getDelivery("dlv_unknown")).toBeNull();
      expect(await store.getDeliveryHeaders(delivery.id)).toEqual({ "x-a": "ü, \u0001" });
      expect(await store.getDeliveryHeaders("dlv_unknown")).toBeNull();
    });

    it.each([
      ["bytes that are not UTF-8", Buffer.from([0xff, 0xfe])],
      ["text that is not JSON", Buffer.from("{")],
      [
        "nesting that would overflow the stack of the code that serializes it",
        Buffer.from("[".repeat(100_000) + "]".repeat(100_000)),
      ],
    ])("stores %s, and returns no JSON for it", async (_, body) => {
      const delivery = aDelivery({ body, outcome: "rejected" });
      await store.recordDelivery(delivery);
      expect(await store.getDelivery(delivery.id)).toMatchObject({ body: body.toString("base64"), json: null });
    });

    it("distinguishes an empty body from one that was not stored", async () => {
      const empty = aDelivery({ body: Buffer.alloc(0) });
      const notKept = aDelivery({ body: null, bodyBytes: 5_000_000 });
      await store.recordDelivery(empty);
      await store.recordDelivery(notKept);
      expect(await store.getDelivery(empty.id)).toMatchObject({ body: "", json: null });
      expect(await store.getDelivery(notKept.id)).toMatchObject({
        body: null,
        json: null,
        bodyBytes: 5_000_000,
        bodySha256: null,
      });
    });

    it("returns the bodies of several deliveries byte for byte, by id", async () => {
      const body = Buffer.from([0, 255, 0x22]);
      const [kept, empty, notKept] = [
        aDelivery({ body, outcome: "rejected" }),
        aDelivery({ body: Buffer.alloc(0) }),
        aDelivery({ body: null }),
      ];
      for (const delivery of [kept, empty, notKept]) await store.recordDelivery(delivery);
      const bodies = await store.getDeliveryBodies([notKept.id, "dlv_unknown", kept.id, empty.id]);
      expect(new Map([...bodies].map(([id, bytes]) => [id, bytes && [...bytes]]))).toEqual(
        new Map([
          [kept.id, [...body]],
          [empty.id, []],
          [notKept.id, null],
        ]),
      );
      expect(await store.getDeliveryBodies([])).toEqual(new Map());
    });

    it("records an accepted delivery with its queued runs, each with its first timeline entry", async () => {
      const delivery = aDelivery();
      const runs = ["a:x", "b:y"].map((attachmentId) =>
        aRun({ attachmentId, deliveryId: delivery.id, keyId: "key_1" }),
      );
      expect(await store.acceptDelivery({ delivery, runs, idempotency: null })).toEqual({ kind: "accepted" });
      for (const { id } of runs) {
        expect(await store.getRun(id)).toMatchObject({
          id,
          status: "queued",
          attempt: 0,
          deliveryId: delivery.id,
          keyId: "key_1",
          startedAt: null,
        });
        expect(await kindsOf(store, id)).toEqual(["queued"]);
      }
    });

    it.each([
      ["abandoned", () => ({ by: performance.now() + 60_000, isAbandoned: () => true })],
      ["too late", () => ({ by: performance.now() - 1 })],
    ])("does not write a delivery that is %s when its turn comes, and writes the others", async (_, terms) => {
      const kept = aDelivery();
      const [withRun, withKey, recorded] = [aDelivery(), aDelivery(), aDelivery()];
      const run = aRun({ deliveryId: withRun.id });
      const idempotency = { key: "abandoned", notBefore: 0 };
      const settled = await Promise.allSettled([
        store.acceptDelivery({ delivery: withRun, runs: [run], idempotency: null }, terms()),
        store.acceptDelivery({ delivery: kept, runs: [], idempotency: null }, { by: performance.now() + 60_000 }),
        store.acceptDelivery({ delivery: withKey, runs: [], idempotency }, terms()),
        store.recordDelivery(recorded, terms()),
      ]);
      expect(settled).toMatchObject([
        { status: "rejected", reason: { code: "store_unavailable" } },
        { status: "fulfilled", value: { kind: "accepted" } },
        { status: "rejected", reason: { code: "store_unavailable" } },
        { status: "rejected", reason: { code: "store_unavailable" } },
      ]);
      const { data } = await store.listDeliveries({}, { limit: 10, cursor: null });
      expect(data.map(({ id }) => id)).toEqual([kept.id]);
      expect(await store.getRun(run.id)).toBeNull();
      // Its key is free.
      expect(await store.acceptDelivery({ delivery: aDelivery(), runs: [], idempotency })).toEqual({
        kind: "accepted",
      });
    });

    it("records a delivery with all its runs or not at all", async () => {
      const taken = aRun();
      await store.createRuns([taken]);
      const delivery = aDelivery();
      const runs = [aRun({ deliveryId: delivery.id }), aRun({ id: taken.id, deliveryId: delivery.id })];
      await expect(store.acceptDelivery({ delivery, runs, idempotency: { key: "k", notBefore: 0 } })).rejects.toThrow(
        /unique/i,
      );
      expect(await store.getDelivery(delivery.id)).toBeNull();
      expect((await store.listRuns({}, { limit: 10, cursor: null })).data.map((run) => run.id)).toEqual([taken.id]);
      const again = aDelivery();
      expect(
        await store.acceptDelivery({ delivery: again, runs: [], idempotency: { key: "k", notBefore: 0 } }),
      ).toEqual({ kind: "accepted" });
    });

    it("a delivery that cannot be written fails alone among concurrent ones", async () => {
      const taken = aRun();
      await store.createRuns([taken]);
      const accept = (id?: string) => {
        const delivery = aDelivery();
        return store.acceptDelivery({
          delivery,
          runs: [aRun({ deliveryId: delivery.id, ...(id ? { id } : {}) })],
          idempotency: null,
        });
      };
      const outcomes = await Promise.allSettled([accept(), accept(taken.id), accept()]);
      expect(outcomes.map((outcome) => outcome.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect((await store.countOpenRuns()).queued).toBe(3);
    });

    const acceptWithKey = (p: { key: string; at?: number; endpoint?: string; body?: string; mayDiffer?: boolean }) => {
      const { at = epoch, endpoint = "signup" } = p;
      const delivery = aDelivery({ endpoint, receivedAt: at, body: Buffer.from(p.body ?? "{}") });
      const runs = ["b:y", "a:x"].map((attachmentId) =>
        aRun({ attachmentId, trigger: attachmentId.slice(0, 1), deliveryId: delivery.id }),
      );
      return {
        delivery,
        runs,
        answer: store.acceptDelivery({
          delivery,
          runs,
          idempotency: { key: p.key, notBefore: at - 1000, mayDiffer: p.mayDiffer ?? false },
        }),
      };
    };

    describe("with an idempotency key", () => {
      it("returns the first runs for a repeat, in the order of their attachments, and writes nothing", async () => {
        const first = acceptWithKey({ key: "k" });
        expect(await first.answer).toEqual({ kind: "accepted" });
        const [b, a] = first.runs;
        // A later replay of a run does not change the first response.
        await store.createRuns([aRun({ attachmentId: "a:x", deliveryId: first.delivery.id, replayOf: a?.id ?? "" })]);
        const second = acceptWithKey({ key: "k", at: epoch + 1000 });
        const target = { kind: "workflow", slug: "welcome-email" };
        expect(await second.answer).toEqual({
          kind: "repeated",
          deliveryId: first.delivery.id,
          runs: [
            { runId: a?.id, trigger: "a", attachmentId: "a:x", target },
            { runId: b?.id, trigger: "b", attachmentId: "b:y", target },
          ],
        });
        expect(await store.getDelivery(second.delivery.id)).toBeNull();
        expect((await store.countOpenRuns()).queued).toBe(3);
      });

      it("returns the first delivery if the body differs, and writes nothing", async () => {
        const first = acceptWithKey({ key: "k" });
        await first.answer;
        const second = acceptWithKey({ key: "k", body: "[]" });
        expect(await second.answer).toEqual({ kind: "conflict", deliveryId: first.delivery.id });
        expect(await store.getDelivery(second.delivery.id)).toBeNull();
      });

      it("accepts another body as a repeat if it may differ", async () => {
        const first = acceptWithKey({ key: "k", mayDiffer: true });
        await first.answer;
        const second = acceptWithKey({ key: "k", body: "[]", mayDiffer: true });
        expect(await second.answer).toMatchObject({
          kind: "repeated",
          deliveryId: first.delivery.id,
          runs: [{ trigger: "a" }, { trigger: "b" }],
        });
        expect(await store.getDelivery(second.delivery.id)).toBeNull();
      });

      it("ignores a key that was accepted before `notBefore`, and reserves it again", async () => {
        await acceptWithKey({ key: "k" }).answer;
        const later = acceptWithKey({ key: "k", at: epoch + 1001, body: "[]" });
        expect(await later.answer).toEqual({ kind: "accepted" });
        expect(await acceptWithKey({ key: "k", at: epoch + 2000, body: "[]" }).answer).toMatchObject({
          kind: "repeated",
          deliveryId: later.delivery.id,
        });
      });

      it("keeps the keys of each endpoint separate", async () => {
        await acceptWithKey({ key: "k" }).answer;
        expect(await acceptWithKey({ key: "k", endpoint: "billing" }).answer).toEqual({ kind: "accepted" });
      });

      it("accepts exactly one of many equal concurrent calls", async () => {
        const kinds = (await Promise.all(Array.from({ length: 12 }, () => acceptWithKey({ key: "k" }).answer))).map(
          (answer) => answer.kind,
        );
        expect(kinds.filter((kind) => kind === "accepted")).toHaveLength(1);
        expect(kinds.filter((kind) => kind === "repeated")).toHaveLength(11);
      });
    });

    it("lists every delivery exactly once over all pages, newest first, with any filters", async () => {
      const times = [0, 1, hour - 1, hour, hour + 1, 3 * hour, 3 * hour + 1, 50 * hour];
      const trigger = fc.constantFrom("t", "u");
      const verdict = fc.constantFrom("matched" as const, "request_mismatch" as const, "filter_mismatch" as const);
      const rows = fc.array(
        fc.record({
          endpoint: fc.constantFrom("e", "f"),
          outcome: fc.constantFrom("accepted", "skipped"),
          responseStatus: fc.constantFrom(202, 422),
          at: fc.constantFrom(...times),
          redeliveryOf: fc.constantFrom("dlv_1", "dlv_2", null),
          body: fc.option(fc.constantFrom('{"a":"Über x"}', '{"b":"ÜBER X"}', "not json x", `${"-".repeat(3_000)}x`)),
          verdicts: fc.array(fc.record({ trigger, outcome: verdict }), { maxLength: 2 }),
        }),
        { maxLength: 15 },
      );
      const bounds = {
        since: fc.constantFrom(...times).map((at) => epoch + at),
        until: fc.constantFrom(...times).map((at) => epoch + at + 1),
      };
      const filters = fc.tuple(deliveryFilters, fc.record(bounds, { requiredKeys: [] })).map(([filter, within]) => {
        const { since: _, until: __, ...others } = filter;
        return { ...others, ...within };
      });
      await fc.assert(
        fc.asyncProperty(rows, filters, fc.integer({ min: 1, max: 4 }), async (rows, filter, limit) => {
          const own = await open();
          const made = rows.map(({ at, body, verdicts, ...row }) =>
            aDelivery({
              ...row,
              receivedAt: epoch + at,
              body: body === null ? null : Buffer.from(body),
              verdicts: verdicts.map((given) => aVerdict({ ...given, attachmentId: `${given.trigger}:x` })),
            }),
          );
          await Promise.all(made.map((delivery) => own.recordDelivery(delivery)));
          const pages = await readPages((cursor) => own.listDeliveries(filter, { limit, cursor }));
          await own.close();
          const wanted = made
            .filter((delivery) => isDeliveryOf(filter, delivery))
            .sort((a, b) => b.receivedAt - a.receivedAt || (a.id < b.id ? 1 : -1));
          expect(pages.flat().map((d) => d.id)).toEqual(wanted.map((d) => d.id));
          for (const page of pages.slice(0, -1)) expect(page.length).toBeLessThanOrEqual(limit);
        }),
        { numRuns: 60 },
      );
    });

    it.each<DeliveryFilter>([{}, { endpoint: "signup" }, { outcome: "accepted" }, { status: 202 }, { since: epoch }])(
      "fills every page but the last with %j",
      async (filter) => {
        for (let n = 0; n < 7; n += 1) await store.recordDelivery(aDelivery({ receivedAt: epoch + n }));
        const pages = await readPages((cursor) => store.listDeliveries(filter, { limit: 3, cursor }));
        expect(pages.map((page) => page.length)).toEqual([3, 3, 1]);
      },
    );

    it.each<DeliveryFilter>([
      {},
      { endpoint: "signup" },
      { text: "ada" },
      { verdict: { trigger: "new-signup", outcomes: ["matched"] } },
    ])("has only new rows with newerThan, and late ones of ten seconds: %j", async (filter) => {
      const addAt = async (...seconds: number[]) => {
        const deliveries = seconds.map((second) =>
          aDelivery({ receivedAt: epoch + second * 1000, body: Buffer.from("Ada"), verdicts: [aVerdict()] }),
        );
        await Promise.all(deliveries.map((delivery) => store.recordDelivery(delivery)));
        return deliveries.map(({ id }) => id);
      };
      const [last] = await addAt(7_200);
      const { newest = null } = await store.listDeliveries(filter, { limit: 10, cursor: null, newerThan: null });
      const [fresh] = await addAt(14_400);
      await addAt(3, 7_100);
      for (const limit of [1, 100]) {
        const pages = await readPages((cursor) => store.listDeliveries(filter, { limit, cursor, newerThan: newest }));
        expect(pages.flat().map(({ id }) => id)).toEqual([fresh, last]);
      }
      expect(await store.listDeliveries(filter, { limit: 10, cursor: null })).not.toHaveProperty("newest");
    });

    const find = async (filter: DeliveryFilter, limit: number) =>
      (await readPages((cursor) => store.listDeliveries(filter, { limit, cursor }))).flat().map(({ id }) => id);
    const by = (trigger: string, ...outcomes: VerdictOutcome[]) =>
      find({ endpoint: "signup", verdict: { trigger, outcomes } }, 10);

    it("finds each verdict by its outcome, also those of headers", async () => {
      const outcomes = [
        "matched",
        "headers_mismatch",
        "query_mismatch",
        "request_mismatch",
        "filter_mismatch",
        "disabled",
      ] as const;
      const made = outcomes.map((outcome, n) =>
        aDelivery({ receivedAt: epoch + n, verdicts: [aVerdict({ outcome })] }),
      );
      await Promise.all(made.map((delivery) => store.recordDelivery(delivery)));
      for (const [at, outcome] of outcomes.entries()) {
        expect(await by("new-signup", outcome)).toEqual([made[at]?.id]);
        expect((await store.getDelivery(made[at]?.id ?? ""))?.verdicts[0]?.outcome).toBe(outcome);
      }
    });

    it("finds rare deliveries among many, each once and in order", async () => {
      const made = Array.from({ length: 1000 }, (_, n) =>
        aDelivery({
          receivedAt: epoch + n,
          verdicts: [aVerdict({ outcome: n % 250 === 0 ? "filter_mismatch" : "matched" })],
          body: Buffer.from((n % 300 === 0 ? "needle" : "hay") + "x".repeat(n % 7 === 0 ? 5_000 : 0)),
        }),
      );
      await Promise.all(made.map((delivery) => store.recordDelivery(delivery)));
      const verdict = { trigger: "new-signup", outcomes: ["filter_mismatch" as const] };
      for (const limit of [1, 3, 100]) {
        expect(await find({ endpoint: "signup", verdict }, limit)).toEqual([750, 500, 250, 0].map((n) => made[n]?.id));
        expect(await find({ text: "needle" }, limit)).toEqual([900, 600, 300, 0].map((n) => made[n]?.id));
        expect(await find({ text: "needle", verdict }, limit)).toEqual([made[0]?.id]);
      }
    });

    it("finds a verdict that is rare on its endpoint, in any hours", async () => {
      const made = [0, 1, 2, 3, 30].flatMap((hours) =>
        [0, 0, 0, 1, hour - 1].map((ms, n) =>
          aDelivery({
            receivedAt: epoch + hours * hour + ms,
            verdicts: [
              aVerdict({ outcome: hours === 2 || n > 2 ? "filter_mismatch" : "matched" }),
              aVerdict({ trigger: "other", attachmentId: "other:x" }),
            ],
          }),
        ),
      );
      // Many other deliveries, so that skipping hours saves time.
      for (let n = 0; n < 2500; n += 1)
        made.push(
          aDelivery({
            receivedAt: epoch + n * 30_000,
            verdicts: [aVerdict({ trigger: "other", attachmentId: "other:x" })],
          }),
        );
      await Promise.all(made.map((delivery) => store.recordDelivery(delivery)));
      const newestFirst = made.toSorted((a, b) => b.receivedAt - a.receivedAt || (a.id < b.id ? 1 : -1));
      for (const outcomes of [
        ["matched" as const],
        ["filter_mismatch" as const],
        ["matched" as const, "filter_mismatch" as const],
        ["disabled" as const],
      ]) {
        for (const limit of [1, 2, 100]) {
          for (const span of [
            {},
            { since: epoch + hour },
            { until: epoch + 3 * hour },
            { since: epoch + hour + 1, until: epoch + 3 * hour + 1 },
          ]) {
            const filter: DeliveryFilter = {
              endpoint: "signup",
              verdict: { trigger: "new-signup", outcomes },
              ...span,
            };
            expect(await find(filter, limit)).toEqual(
              newestFirst.filter((delivery) => isDeliveryOf(filter, delivery)).map(({ id }) => id),
            );
          }
        }
      }
    });

    it.each([
      ["words in either case", '{"name":"Ada Lovelace"}', "ada LOVE", true],
      ["a piece of JSON", '{"amount": 100}', '"amount": 100', true],
      ["what a string of JSON escapes", '{"say":"\\"hi\\"\\n"}', '"hi"\n', true],
      ["letters beyond ASCII", '{"name":"Müller"}', "müller", true],
      ["letters beyond ASCII that were sent as escapes", '{"name":"M\\u00FCller \\ud83d\\ude00"}', "Müller 😀", true],
      ["such letters only in the case that they have", '{"name":"MÜLLER"}', "müller", false],
      ["text after a zero byte", "a\u0000b", "b", true],
      ["wildcards as they are", '{"a":"100%"}', "1%", false],
      ["bytes that are not UTF-8 around it", Buffer.from([0xff, 0x80, 0x41, 0xbf]), "a", true],
    ])("finds %s", async (_, body, text, isFound) => {
      const delivery = aDelivery({ body: Buffer.from(body) });
      await store.recordDelivery(delivery);
      const found = await readPages((cursor) => store.listDeliveries({ text }, { limit: 10, cursor }));
      expect(found.flat().map(({ id }) => id)).toEqual(isFound ? [delivery.id] : []);
    });

    it("returns the listed verdicts and the counts of the others, for one delivery and in lists", async () => {
      const listed = [aVerdict(), aVerdict({ trigger: "near", attachmentId: "near:x", outcome: "filter_mismatch" })];
      const unlistedVerdicts = [
        { outcome: "filter_mismatch" as const, pointer: "/type", actual: '"\ud800"', count: 990 },
        { outcome: "disabled" as const, pointer: null, actual: null, count: 3 },
      ];
      const made = [
        aDelivery({ verdicts: listed, unlistedVerdicts }),
        aDelivery({ verdicts: [], unlistedVerdicts, receivedAt: epoch - 1 }),
        aDelivery({ verdicts: listed, receivedAt: epoch - 2 }),
      ];
      for (const delivery of made.slice(1)) await store.recordDelivery(delivery);
      for (const delivery of made.slice(0, 1)) await store.acceptDelivery({ delivery, runs: [], idempotency: null });
      const { data } = await store.listDeliveries({}, { limit: 10, cursor: null });
      for (const [n, delivery] of made.entries()) {
        const wanted = JSON.stringify([delivery.verdicts, delivery.unlistedVerdicts]);
        const alone = await store.getDelivery(delivery.id);
        const found = (await store.searchIds({ text: delivery.id, limit: 1 })).deliveries[0];
        for (const one of [alone, data[n], found])
          expect(JSON.stringify([one?.verdicts, one?.unlistedVerdicts])).toBe(wanted);
      }
      expect(await by("near", "filter_mismatch")).toEqual([made[0]?.id, made[2]?.id]);
      expect(await by("near", "matched")).toEqual([]);
      expect(await by("far", "filter_mismatch", "disabled")).toEqual([]);
    });

    it("lists deliveries without bodies", async () => {
      await store.recordDelivery(aDelivery());
      const [row] = (await store.listDeliveries({}, { limit: 1, cursor: null })).data;
      expect(row).not.toHaveProperty("body");
      expect(row).not.toHaveProperty("json");
    });

    it.each([
      "",
      "x",
      "%%%",
      cursorOf({}),
      cursorOf([1]),
      cursorOf(["1", "a"]),
      cursorOf([-1, "a"]),
      cursorOf([1.5, "a"]),
      `${cursorOf([1, "a"])}=`,
      cursorOf([1, "a", 2]),
    ])("rejects a cursor that it did not create: %j", async (cursor) => {
      await expect(store.listDeliveries({}, { limit: 1, cursor })).rejects.toMatchObject({
        name: "AppError",
        code: "invalid_request",
      });
      await expect(store.listRuns({}, { limit: 1, cursor: null, newerThan: cursor })).rejects.toMatchObject({
        errors: [{ pointer: "/newerThan" }],
      });
      await expect(store.listRuns({}, { limit: 1, cursor })).rejects.toMatchObject({
        name: "AppError",
        code: "invalid_request",
      });
    });

    it.each([0, 101, 1.5, Number.NaN])("rejects a limit of %d", async (limit) => {
      await expect(store.listDeliveries({}, { limit, cursor: null })).rejects.toMatchObject({
        code: "invalid_request",
      });
      await expect(store.listRuns({}, { limit, cursor: null })).rejects.toMatchObject({ code: "invalid_request" });
    });
  });
}

function cursorOf(value: Json): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
