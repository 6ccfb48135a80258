import type { DeliverySummary } from "../contract/delivery.ts";
import type { Json } from "../contract/json.ts";
import type { PageRequest } from "../contract/list.ts";
import type { Run, RunSummary } from "../contract/run.ts";
import { describeFailure } from "../domain/alerts/findings.ts";
import { maskBody, maskDelivery, maskFields, maskSummary } from "../domain/privacy/mask-delivery.ts";
import { createRunMask, needsFields, type RunMask, scrubError } from "../domain/privacy/mask-run.ts";
import { type EventResult, readEventResult } from "../domain/runs/event-waits.ts";
import type { Masks, ReadMasks } from "../domain/privacy/sensitive-rules.ts";
import type { Masking } from "../ports/masking.ts";
import type { Store } from "../ports/store.ts";
import type { StepRecord } from "../ports/store/engine-store.ts";
import { createFamilyReader } from "./run-family.ts";
import { bodiesWith, createTextSearch, filterRows, searchPages, textsOf } from "../matching/text/search-pages.ts";

type StoredRun = NonNullable<Awaited<ReturnType<Store["getRun"]>>>;

/** Masks the sensitive fields in what is read from a store. Without any, the store is read as it is. */
export function createMasking(store: Store, readMasks: ReadMasks): Masking {
  const search = createSearch(store, readMasks);
  return {
    masked: { ...store, ...maskDeliveries(store, readMasks, search), ...maskRuns(store, readMasks, search) },
    originals: { ...store, ...search },
    readMasks,
    async restore(run, value) {
      const masks = await readMasks();
      return masks ? ((await readRunMask(store, masks, run))?.restore(value) ?? value) : value;
    },
  };
}

type Search = Pick<Store, "listDeliveries" | "listRuns">;

type MaskedDeliveries = Pick<
  Store,
  "listDeliveries" | "getDelivery" | "getDeliveryBodies" | "getDeliveryHeaders" | "readFeed"
>;

function maskDeliveries(store: Store, readMasks: ReadMasks, search: Search): MaskedDeliveries {
  return {
    async listDeliveries(filter, page) {
      const masks = await readMasks();
      const found = await search.listDeliveries(filter, page);
      return masks ? { ...found, data: found.data.map((delivery) => maskListed(masks, delivery)) } : found;
    },
    async getDelivery(id) {
      const masks = await readMasks();
      const delivery = await store.getDelivery(id);
      const rules = delivery && masks?.rules.endpoints.get(delivery.endpoint);
      return masks && rules ? maskDelivery(delivery, rules, masks.faker) : delivery;
    },
    async getDeliveryBodies(ids) {
      const masks = await readMasks();
      const bodies = await store.getDeliveryBodies(ids);
      if (!masks) return bodies;
      const masked = await Promise.all(
        [...bodies].map(async ([id, body]): Promise<[string, Uint8Array | null]> => {
          const delivery = body && (await store.getDelivery(id));
          const rules = delivery && masks.rules.endpoints.get(delivery.endpoint);
          if (!delivery || !rules?.body) return [id, body];
          const masked = await maskBody(delivery, rules, masks);
          // The listed headers do not describe a form that is shown as JSON.
          return [id, masked && masked.rewrittenAs === null ? masked.bytes : null];
        }),
      );
      return new Map(masked);
    },
    async getDeliveryHeaders(id) {
      const masks = await readMasks();
      const headers = await store.getDeliveryHeaders(id);
      const delivery = masks && headers && (await store.getDelivery(id));
      const rules = delivery && masks.rules.endpoints.get(delivery.endpoint);
      return rules && headers ? maskFields(headers, rules, masks) : headers;
    },
    async readFeed(p) {
      const masks = await readMasks();
      const page = await store.readFeed(p);
      if (!masks) return page;
      const entries = page.entries.map(async (entry) => {
        const rules = masks.rules.endpoints.get(entry.delivery.endpoint);
        if (!rules) return entry;
        const text = entry.body && Buffer.from(entry.body).toString("base64");
        const {
          body,
          json: _,
          ...delivery
        } = await maskDelivery({ ...entry.delivery, body: text, json: null }, rules, masks.faker);
        return { ...entry, delivery, body: body === null ? null : Buffer.from(body, "base64") };
      });
      return { ...page, entries: await Promise.all(entries) };
    },
  };
}

function maskListed({ rules, faker }: Masks, delivery: DeliverySummary): DeliverySummary {
  const ofEndpoint = rules.endpoints.get(delivery.endpoint);
  return ofEndpoint ? maskSummary(delivery, ofEndpoint, faker) : delivery;
}

type MaskedRuns = Pick<
  Store,
  | "listRuns"
  | "findRuns"
  | "getRun"
  | "listTimeline"
  | "listSteps"
  | "loadSteps"
  | "listEventResults"
  | "getLive"
  | "listFailures"
  | "summarizeTargets"
  | "searchIds"
>;

function maskRuns(store: Store, readMasks: ReadMasks, search: Search): MaskedRuns {
  const getRun: Store["getRun"] = async (id) => {
    const masks = await readMasks();
    const run = await store.getRun(id);
    const mask = run && masks && (await readRunMask(store, masks, run));
    return mask ? maskRun(run, mask) : run;
  };
  /** Only the error of a listed run can have sensitive values. */
  const maskListedRuns = async (masks: Masks | null, runs: readonly RunSummary[]): Promise<RunSummary[]> => {
    if (!masks) return [...runs];
    const findConcerned = createFamilyReader(store, masks.rules);
    return Promise.all(
      runs.map(async (run) => {
        if (run.error === null || (await findConcerned(run)).length === 0) return run;
        const stored = await store.getRun(run.id);
        const mask = stored && (await readRunMask(store, masks, stored, findConcerned));
        return mask ? { ...run, error: scrubError(run.error, mask.scrub), isMasked: true } : { ...run, error: null };
      }),
    );
  };
  const maskOf = async (id: string): Promise<RunMask | null> => {
    const masks = await readMasks();
    const run = masks && (await store.getRun(id));
    return run && readRunMask(store, masks, run);
  };
  return {
    getRun,
    async listRuns(filter, page) {
      const masks = await readMasks();
      const found = await search.listRuns(filter, page);
      return { ...found, data: await maskListedRuns(masks, found.data) };
    },
    findRuns: async (ids) => maskListedRuns(await readMasks(), await store.findRuns(ids)),
    async listTimeline(runId, p) {
      const mask = await maskOf(runId);
      const entries = await store.listTimeline(runId, p);
      if (!mask) return entries;
      const { scrub } = mask;
      return entries.map((entry) => ({
        ...entry,
        name: entry.name === null ? null : scrub.text(entry.name),
        message: entry.message === null ? null : scrub.text(entry.message),
        error: entry.error && scrubError(entry.error, scrub),
        data: entry.data === null ? null : scrub.json(entry.data),
      }));
    },
    async listSteps(runId, { name, ...page }) {
      const mask = await maskOf(runId);
      const recorded = name === undefined || !mask ? name : String(mask.restore(name));
      const steps = await store.listSteps(runId, { name: recorded, ...page });
      if (!mask) return steps;
      return steps
        .map((step) => ({ ...step, name: mask.scrub.text(step.name), result: maskResult(mask, step) }))
        .filter((step) => name === undefined || step.name === name);
    },
    async loadSteps(runId) {
      const mask = await maskOf(runId);
      const steps = await store.loadSteps(runId);
      if (!mask) return steps;
      const { scrub } = mask;
      // The name of an approval identifies it in a decision. It is made of numbers and the name of the tool.
      return steps.map((step) => ({
        ...step,
        name: step.kind === "approval" ? step.name : scrub.text(step.name),
        result: maskResult(mask, step),
      }));
    },
    async listEventResults(runId) {
      const mask = await maskOf(runId);
      const results = await store.listEventResults(runId);
      return mask ? results.flatMap((result) => maskResult(mask, { kind: "event", result }) ?? []) : results;
    },
    async getLive(runId) {
      const mask = await maskOf(runId);
      const live = await store.getLive(runId);
      return mask && live ? { ...live, said: mask.scrub.json(live.said) } : live;
    },
    async listFailures(p) {
      const masks = await readMasks();
      const failures = await store.listFailures(p);
      if (!masks) return failures;
      const maskOne = async ({ id, error }: { id: string; error: string }) => {
        const mask = await maskOf(id);
        if (!mask) return { id, error };
        const stored = await store.getRun(id);
        return { id, error: stored?.error ? describeFailure(scrubError(stored.error, mask.scrub)) : "" };
      };
      return Promise.all(
        failures.map(async (failure) => ({ ...failure, runs: await Promise.all(failure.runs.map(maskOne)) })),
      );
    },
    async summarizeTargets(p) {
      const masks = await readMasks();
      const summaries = await store.summarizeTargets(p);
      return Promise.all(
        summaries.map(async (summary) => {
          const [lastRun = null] = summary.lastRun ? await maskListedRuns(masks, [summary.lastRun]) : [];
          return { ...summary, lastRun };
        }),
      );
    },
    async searchIds(p) {
      const masks = await readMasks();
      const { runs, deliveries } = await store.searchIds(p);
      return {
        runs: await maskListedRuns(masks, runs),
        deliveries: masks ? deliveries.map((delivery) => maskListed(masks, delivery)) : deliveries,
      };
    },
  };
}

/** `null`: it can have no sensitive values. */
async function readRunMask(
  store: Store,
  { rules, faker }: Masks,
  run: Run,
  findConcerned = createFamilyReader(store, rules),
): Promise<RunMask | null> {
  const concerned = await findConcerned(run);
  if (concerned.length === 0) return null;
  const own = concerned.find(({ id }) => id === run.id);
  const others = await Promise.all(
    concerned
      .filter(({ id }) => id !== run.id)
      .map(async ({ id, events }) => {
        const other = await store.getRun(id);
        return other ? [await originOf(other, events)] : [];
      }),
  );
  return createRunMask(rules, [await originOf(run, own?.events ?? []), ...others.flat()], faker);

  async function originOf(of: Run, events: EventResult[]) {
    const { trigger, target, payload, input, output } = of;
    const deliveryId = needsFields(rules, { trigger }) ? await findDelivery(store, of) : null;
    const headers = deliveryId === null ? null : await store.getDeliveryHeaders(deliveryId);
    return { trigger, target, payload, input, output, headers, events };
  }
}

/** The delivery whose headers the transform of a run reads: of a replay, that of the replayed run. */
async function findDelivery(store: Store, { deliveryId, replayOf }: Run): Promise<string | null> {
  if (deliveryId !== null || replayOf === null) return deliveryId;
  const replayed = await store.getRun(replayOf);
  return replayed && findDelivery(store, replayed);
}

function maskResult(mask: RunMask, { kind, result }: Pick<StepRecord, "kind" | "result">): Json | null {
  const event = kind === "event" ? readEventResult(result) : null;
  return event ? { ...event, payload: mask.event(event) } : mask.scrub.json(result);
}

function maskRun(run: StoredRun, mask: RunMask): StoredRun {
  return {
    ...run,
    payload: mask.payload(),
    input: mask.input(),
    output: mask.output(run.output),
    error: run.error && scrubError(run.error, mask.scrub),
    isMasked: true,
  };
}

/**
 * The lists of the store. Text is searched in what is shown: the store, which knows the sensitive values, decides
 * neither which rows match nor where a page ends. Otherwise anyone could find a value by searching for it.
 */
function createSearch(store: Store, readMasks: ReadMasks): Search {
  return {
    async listDeliveries(asked, page) {
      const { text, ...filter } = asked;
      const masks = text === undefined ? null : await readMasks();
      const hides = (endpoint: string) => Boolean(masks?.rules.endpoints.get(endpoint)?.body);
      const endpoints = filter.endpoint === undefined ? [...(masks?.rules.endpoints.keys() ?? [])] : [filter.endpoint];
      if (text === undefined || !masks || !endpoints.some(hides)) return store.listDeliveries(asked, page);
      const inBodies = bodiesWith(store, createTextSearch(text));
      const inShown = shownSearch(text);
      const isMatch = async ({ id, endpoint }: DeliverySummary) => {
        const delivery = await store.getDelivery(id);
        const rules = masks.rules.endpoints.get(endpoint);
        const masked = delivery && rules ? await maskDelivery(delivery, rules, masks.faker) : null;
        return masked?.body ? inShown(Buffer.from(masked.body, "base64").toString()) : false;
      };
      const matching = async (rows: readonly DeliverySummary[]) => {
        const { hidden = [], plain = [] } = Object.groupBy(rows, ({ endpoint }) =>
          hides(endpoint) ? "hidden" : "plain",
        );
        const found = new Set([...(await inBodies(plain)), ...(await filterRows(hidden, isMatch))]);
        return rows.filter((row) => found.has(row));
      };
      const read = (portion: PageRequest) => store.listDeliveries(filter, portion);
      return searchPages({ read, matching, timeOf: ({ receivedAt }) => receivedAt }, page);
    },
    async listRuns(asked, page) {
      const { text, ...filter } = asked;
      const masks = text === undefined ? null : await readMasks();
      if (text === undefined || !masks) return store.listRuns(asked, page);
      const findConcerned = createFamilyReader(store, masks.rules);
      const inRecorded = createTextSearch(text);
      const inShown = shownSearch(text);
      const isMatch = async (summary: RunSummary) => {
        const run = await store.getRun(summary.id);
        if (!run) return false;
        const mask = await readRunMask(store, masks, run, findConcerned);
        if (!mask) return inRecorded(textsOf(run));
        return textsOf({ payload: mask.payload(), input: mask.input() }).some(inShown);
      };
      const matching = (rows: readonly RunSummary[]) => filterRows(rows, isMatch);
      const read = (portion: PageRequest) => store.listRuns(filter, portion);
      return searchPages({ read, matching, timeOf: ({ createdAt }) => createdAt }, page);
    },
  };
}

/** The layout of masked JSON differs from that of the recorded one. */
function shownSearch(text: string): (shown: string) => boolean {
  const needle = comparable(text);
  return (shown) => comparable(shown).includes(needle);
}

const comparable = (text: string) => text.replaceAll(/\s+/g, "").toLowerCase();
