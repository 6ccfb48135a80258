import { AppError } from "../../contract/app-error.ts";
import type { Json } from "../../contract/json.ts";
import type { RunSummary } from "../../contract/run.ts";
import { describeFailure } from "../../domain/alerts/findings.ts";
import type { StoredAlert } from "../../domain/alerts/plan-alerts.ts";
import type { KeyRing } from "../../domain/encryption/key-ring.ts";
import { toChildResult, type ToChildResult } from "../../domain/runs/child-runs.ts";
import { type ToStoredResult, toStoredResult } from "../../domain/runs/event-waits.ts";
import { isObject } from "../../shared/schema/json-schema.ts";
import type { Store } from "../../ports/store.ts";
import type { AcceptResult } from "../../ports/store/delivery-store.ts";
import { openDelivery, openHeaders, openSummary, sealDelivery, sealVerdicts } from "./delivery-values.ts";
import {
  createProgressSeal,
  openClaimedRun,
  openEntry,
  openError,
  openMatch,
  openRun,
  openRunSummary,
  openStep,
  openWaits,
  sealDecision,
  sealRun,
} from "./run-values.ts";
import { bodiesWith, createTextSearch, filterRows, searchPages, textsOf } from "../../matching/text/search-pages.ts";

/**
 * Encrypts the content of deliveries and runs before it reaches a store, and decrypts what the store returns. The store
 * works as before: only the text search reads content, so it is done here. Rows that are not encrypted stay readable.
 */
export function createEncryptedStore(store: Store, ring: KeyRing): Store {
  return {
    ...store,
    ...sealDeliveries(store, ring),
    ...sealRuns(store, ring),
    ...sealProgress(store, ring),
    ...sealAlerts(store, ring),
  };
}

type SealedAlerts = Pick<Store, "saveAlertPlan" | "readAlertState" | "takeMessages" | "listAlerts">;

/** The facts of an alert, such as the errors of runs, are one value. */
const sealedFacts = "sealed";

function sealAlerts(store: Store, ring: KeyRing): SealedAlerts {
  const seal = <A extends Pick<StoredAlert, "id" | "detail">>(alert: A): A => {
    const sealed = ring.ofRow(alert.id).sealJson(alert.detail);
    return sealed === alert.detail ? alert : { ...alert, detail: { [sealedFacts]: sealed } };
  };
  const open = <A extends Pick<StoredAlert, "id" | "detail">>(alert: A): A => {
    const sealed = alert.detail[sealedFacts];
    return sealed === undefined ? alert : { ...alert, detail: openFacts(alert.id, sealed) };
  };
  /** An alert can outlive the content that its key encrypted, and then the key: it is shown without its facts. */
  const openFacts = (id: string, sealed: Json): StoredAlert["detail"] => {
    try {
      const facts = ring.ofRow(id).openJson(sealed);
      return isObject(facts) ? facts : {};
    } catch (error) {
      if (error instanceof AppError) return {};
      throw error;
    }
  };
  return {
    saveAlertPlan: ({ plan, ...p }) =>
      store.saveAlertPlan({
        ...p,
        plan: {
          alerts: plan.alerts.map(seal),
          messages: plan.messages.map((message) => ({ ...message, alert: seal(message.alert) })),
        },
      }),
    async readAlertState(p) {
      const state = await store.readAlertState(p);
      return { ...state, open: state.open.map(open), ended: state.ended.map(open) };
    },
    takeMessages: async (p) =>
      (await store.takeMessages(p)).map((message) => ({ ...message, alert: open(message.alert) })),
    async listAlerts(filter, page) {
      const found = await store.listAlerts(filter, page);
      return { ...found, data: found.data.map(open) };
    },
  };
}

type SealedDeliveries = Pick<
  Store,
  | "acceptDelivery"
  | "releaseDelivery"
  | "recordDelivery"
  | "listDeliveries"
  | "getDelivery"
  | "getDeliveryBodies"
  | "getDeliveryHeaders"
  | "readFeed"
  | "searchIds"
>;

function sealDeliveries(store: Store, ring: KeyRing): SealedDeliveries {
  const getDeliveryBodies: Store["getDeliveryBodies"] = async (ids) => {
    const stored = await store.getDeliveryBodies(ids);
    return new Map([...stored].map(([id, body]) => [id, body && ring.ofRow(id).openBytes(body)]));
  };
  return {
    acceptDelivery(request, terms) {
      const { delivery, runs, idempotency, delivered } = request;
      const sealed = {
        delivered: delivered && { ...delivered, toResult: toSealedResult(ring) },
        delivery: sealDelivery(ring, delivery),
        runs: runs.map((run) => sealRun(ring, run)),
        idempotency,
      };
      const accepted = store.acceptDelivery(sealed, terms);
      return idempotency ? accepted.then((result) => checkConflict(result, sealed)) : accepted;

      /** The first delivery may have another key, or none: then its hash differs, although its body is the same. */
      async function checkConflict(result: AcceptResult, again: typeof sealed): Promise<AcceptResult> {
        if (result.kind !== "conflict") return result;
        const stored = await store.getDelivery(result.deliveryId);
        const isSame = stored && openSummary(ring, stored).bodySha256 === delivery.bodySha256;
        if (!isSame || !again.idempotency) return result;
        return store.acceptDelivery({ ...again, idempotency: { ...again.idempotency, mayDiffer: true } }, terms);
      }
    },
    releaseDelivery: (request) =>
      store.releaseDelivery({
        ...request,
        ...sealVerdicts(ring, request.id, request),
        delivered: request.delivered && { ...request.delivered, toResult: toSealedResult(ring) },
        runs: request.runs.map((run) => sealRun(ring, run)),
      }),
    recordDelivery: (delivery, terms) => store.recordDelivery(sealDelivery(ring, delivery), terms),
    async listDeliveries({ text, ...filter }, page) {
      const read = (asked: typeof page) => store.listDeliveries(filter, asked);
      if (text === undefined) return openPage(await read(page));
      const matching = bodiesWith({ getDeliveryBodies }, createTextSearch(text));
      return openPage(await searchPages({ read, matching, timeOf: ({ receivedAt }) => receivedAt }, page));
    },
    async getDelivery(id) {
      const stored = await store.getDelivery(id);
      return stored && openDelivery(ring, stored);
    },
    getDeliveryBodies,
    async getDeliveryHeaders(id) {
      const stored = await store.getDeliveryHeaders(id);
      return stored && openHeaders(ring.ofRow(id), stored);
    },
    async readFeed(p) {
      const page = await store.readFeed(p);
      return {
        ...page,
        entries: page.entries.map(({ position, delivery, body }) => ({
          position,
          delivery: openSummary(ring, delivery),
          body: body && ring.ofRow(delivery.id).openBytes(body),
        })),
      };
    },
    async searchIds(p) {
      const { runs, deliveries } = await store.searchIds(p);
      return {
        runs: runs.map((run) => openRunSummary(ring, run)),
        deliveries: deliveries.map((delivery) => openSummary(ring, delivery)),
      };
    },
  };

  function openPage(page: Awaited<ReturnType<Store["listDeliveries"]>>): typeof page {
    return { ...page, data: page.data.map((delivery) => openSummary(ring, delivery)) };
  }
}

/** The result of a wait that an event ends. */
function toSealedResult(ring: KeyRing): ToStoredResult {
  return (stored, result, runId) => {
    const cipher = ring.ofRow(runId);
    return cipher.sealJson(toStoredResult(cipher.openJson(stored), result, runId));
  };
}

/** The result of a call whose child has ended. */
function toSealedChildResult(ring: KeyRing): ToChildResult {
  return (stored, end, parentId) => {
    const [cipher, ofChild] = [ring.ofRow(parentId), ring.ofRow(end.runId)];
    const opened = { ...end, output: ofChild.openJson(end.output), error: end.error && openError(ofChild, end.error) };
    return cipher.sealJson(toChildResult(cipher.openJson(stored), opened, parentId));
  };
}

type SealedRuns = Pick<
  Store,
  | "createRuns"
  | "createRunsOnce"
  | "createFittingRuns"
  | "listRuns"
  | "findRuns"
  | "findWaits"
  | "getRun"
  | "listTimeline"
  | "listSteps"
  | "decideApproval"
  | "readOpenRuns"
  | "summarizeTargets"
  | "listFailures"
>;

function sealRuns(store: Store, ring: KeyRing): SealedRuns {
  const getRun: Store["getRun"] = async (id) => {
    const stored = await store.getRun(id);
    return stored && openRun(ring, stored);
  };
  const findRuns: Store["findRuns"] = async (ids) =>
    (await store.findRuns(ids)).map((run) => openRunSummary(ring, run));
  return {
    createRuns: (runs) => store.createRuns(runs.map((run) => sealRun(ring, run))),
    async createRunsOnce(runs, key) {
      const sealed = runs.map((run) => sealRun(ring, run));
      // The first request may have been recorded with another key, or without one.
      const { bodySha256 } = key;
      const former = ring.ids.map((id) => ring.sealHash(bodySha256, id));
      const hashes = ring.isOn ? [...former, bodySha256] : [bodySha256, ...former];
      let conflict: unknown;
      for (const hash of hashes) {
        try {
          return await store.createRunsOnce(sealed, { ...key, bodySha256: hash });
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== "idempotency_conflict") throw error;
          conflict ??= error;
        }
      }
      throw conflict;
    },
    createFittingRuns: (runs) => store.createFittingRuns(runs.map((run) => sealRun(ring, run))),
    async listRuns({ text, ...filter }, page) {
      const read = (asked: typeof page) => store.listRuns(filter, asked);
      const hasText = text === undefined ? null : createTextSearch(text);
      const isMatch = async ({ id }: RunSummary) => {
        const run = await getRun(id);
        return run !== null && hasText?.(textsOf(run)) === true;
      };
      const matching = (rows: readonly RunSummary[]) => filterRows(rows, isMatch);
      const found = hasText
        ? await searchPages({ read, matching, timeOf: ({ createdAt }) => createdAt }, page)
        : await read(page);
      return { ...found, data: found.data.map((run) => openRunSummary(ring, run)) };
    },
    findRuns,
    findWaits: async (p) =>
      new Map([...(await store.findWaits(p))].map(([id, waits]) => [id, openWaits(ring.ofRow(id), waits)])),
    getRun,
    async listTimeline(runId, p) {
      const cipher = ring.ofRow(runId);
      return (await store.listTimeline(runId, p)).map((entry) => openEntry(cipher, entry));
    },
    async listSteps(runId, { name, ...p }) {
      const cipher = ring.ofRow(runId);
      for (const stored of name === undefined ? [undefined] : cipher.nameForms(name)) {
        const steps = await store.listSteps(runId, { name: stored, ...p });
        if (name === undefined || steps.length > 0) return steps.map((step) => openStep(cipher, step));
      }
      return [];
    },
    decideApproval: (p) => store.decideApproval({ ...p, decision: sealDecision(ring.ofRow(p.runId), p.decision) }),
    async readOpenRuns(ids) {
      const records = await store.readOpenRuns(ids);
      return records.map(({ id, input, steps }) => {
        const cipher = ring.ofRow(id);
        return {
          id,
          input: cipher.openJson(input),
          steps: steps.map((step) => ({ ...step, name: cipher.openText(step.name) })),
        };
      });
    },
    async summarizeTargets(p) {
      const summaries = await store.summarizeTargets(p);
      return summaries.map((summary) => ({
        ...summary,
        lastRun: summary.lastRun && openRunSummary(ring, summary.lastRun),
      }));
    },
    async listFailures(p) {
      const facts = await store.listFailures(p);
      // A description is too short for an encrypted error.
      return Promise.all(
        facts.map(async (fact) => {
          const runs = new Map((await findRuns(fact.runs.map(({ id }) => id))).map(({ id, error }) => [id, error]));
          return {
            ...fact,
            runs: fact.runs.map(({ id }) => ({
              id,
              error: describeFailure(runs.get(id) ?? { name: null, message: null }),
            })),
          };
        }),
      );
    },
  };
}

type SealedProgress = Pick<
  Store,
  | "claimRuns"
  | "loadSteps"
  | "writeProgress"
  | "listWaitsToSearch"
  | "deliverEvent"
  | "listEventResults"
  | "settleRuns"
  | "saveLive"
  | "getLive"
  | "releaseLostRuns"
>;

function sealProgress(store: Store, ring: KeyRing): SealedProgress {
  /** Stored names of unfinished steps that differ from their current form: another key encrypted them, or none did. */
  const formerNames = new Map<string, Map<string, string>>();
  return {
    claimRuns: async (p) => (await store.claimRuns(p)).map((run) => openClaimedRun(ring, run)),
    async loadSteps(runId) {
      const cipher = ring.ofRow(runId);
      const stored = await store.loadSteps(runId);
      const steps = stored.map((step) => openStep(cipher, step));
      const former = steps.flatMap(({ name, kind, finishedAt }, at): [string, string][] => {
        const storedName = stored[at]?.name ?? name;
        return kind === "approval" || finishedAt !== null || storedName === cipher.sealName(name)
          ? []
          : [[name, storedName]];
      });
      if (former.length > 0) formerNames.set(runId, new Map(former));
      return steps;
    },
    async writeProgress(progress) {
      const { runId, input, entries, steps, waits, children, transition } = progress;
      const seal = createProgressSeal(ring, runId);
      const former = formerNames.get(runId);
      const result = await store.writeProgress({
        ...progress,
        ...(input !== undefined && { input: ring.ofRow(runId).sealJson(input) }),
        entries: entries.map(seal.entry),
        ...(steps && { steps: steps.map((step) => seal.step(step, former?.get(step.name))) }),
        ...(waits && { waits: waits.map((wait) => seal.wait(wait, former?.get(wait.step))) }),
        ...(children && { children: children.map((run) => seal.child(run, former?.get(run.child?.step ?? ""))) }),
        ...(transition && { transition: seal.transition(transition) }),
      });
      // The next worker loads the steps again.
      if (transition) formerNames.delete(runId);
      return result;
    },
    listWaitsToSearch: async (p) =>
      (await store.listWaitsToSearch(p)).map((wait) => ({
        ...wait,
        match: openMatch(ring.ofRow(wait.runId), wait.match),
      })),
    listEventResults: async (runId) => (await store.listEventResults(runId)).map(ring.ofRow(runId).openJson),
    deliverEvent: (p) => store.deliverEvent({ ...p, toResult: toSealedResult(ring) }),
    settleRuns: (p) => store.settleRuns({ ...p, toResult: toSealedChildResult(ring) }),
    saveLive(live) {
      const cipher = ring.ofRow(live.runId);
      return store.saveLive({ ...live, step: cipher.sealName(live.step), said: cipher.sealJson(live.said) });
    },
    async getLive(runId) {
      const cipher = ring.ofRow(runId);
      const stored = await store.getLive(runId);
      return stored && { ...stored, step: cipher.openText(stored.step), said: cipher.openJson(stored.said) };
    },
    releaseLostRuns: (p) =>
      store.releaseLostRuns({
        ...p,
        runs: p.runs.map(({ id, fate }) => {
          if (fate.kind !== "fail") return { id, fate };
          const seal = createProgressSeal(ring, id);
          const transition = seal.transition(fate.transition);
          return { id, fate: { kind: "fail", transition, entries: fate.entries.map(seal.entry) } };
        }),
      }),
  };
}
