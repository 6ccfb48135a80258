import { createHash } from "node:crypto";
import type { Json } from "../../server/contract/json.ts";
import { noVerdicts, type Verdict, type VerdictOutcome } from "../../server/contract/delivery.ts";
import { newId } from "../../server/domain/ids.ts";
import type { NewDelivery } from "../../server/ports/store/delivery-store.ts";
import type { PlannedProject, PlannedTrigger } from "./plan-project.ts";
import type { Random } from "./random.ts";

export interface MadeDelivery {
  delivery: NewDelivery;
  payload: Json;
  /** The payload of its runs. */
  matched: { trigger: PlannedTrigger; runId: string }[];
}

const names = ["Ada Lovelace", "Grace Hopper", "Zoë Müller", "Alan Turing", "Katherine Johnson"] as const;
const words = [
  "invoice",
  "paid",
  "shipment",
  "delayed",
  "customer",
  "note",
  "urgent",
  "review",
  "monthly",
  "plan",
  "upgrade",
  "seat",
  "region",
  "warehouse",
] as const;

/**
 * One realistic request to the project: mostly to the busy endpoints, mostly valid, and sometimes invalid in common
 * ways.
 */
export function makeDelivery(
  project: PlannedProject,
  random: Random,
  p: { at: number; mayStart: boolean; earlier: string | null },
): MadeDelivery {
  const triggers = pickEndpoint(project, random);
  const meant = random.pick(triggers);
  const payload = makePayload(meant.type, random);
  const chance = random.next();
  if (chance < 0.02)
    return rejected({ endpoint: misspell(meant.endpoint), status: 404, code: "unknown_endpoint", payload, at: p.at });
  if (chance < 0.03)
    return rejected({ endpoint: meant.endpoint, status: 401, code: "unauthorized", payload: null, at: p.at });
  if (chance < 0.035)
    return rejected({ endpoint: meant.endpoint, status: 400, code: "invalid_json", payload, at: p.at });
  const verdicts = triggers.map((trigger) => decide(trigger, { meant, isMatching: p.mayStart, random, at: p.at }));
  const matched = verdicts.flatMap(({ runId }, n) => {
    const trigger = triggers[n];
    return runId === null || trigger === undefined ? [] : [{ trigger, runId }];
  });
  const isMismatch = triggers.length === 1 && verdicts[0]?.outcome === "request_mismatch";
  const delivery: NewDelivery = {
    ...draft(meant.endpoint, payload, p.at),
    outcome: matched.length > 0 ? "accepted" : isMismatch ? "rejected" : "skipped",
    responseStatus: matched.length > 0 ? 202 : isMismatch ? 422 : 200,
    problem: isMismatch ? problemOf(422, "request_mismatch") : null,
    verdicts,
    unlistedVerdicts: [],
    redeliveryOf: random.next() < 0.005 ? p.earlier : null,
  };
  return { delivery, payload, matched };
}

/** The n-th endpoint has about 1/n of the traffic of the first. */
function pickEndpoint({ endpoints }: PlannedProject, random: Random): [PlannedTrigger, ...PlannedTrigger[]] {
  const rank = Math.floor(Math.exp(random.next() * Math.log(endpoints.length + 1))) - 1;
  const triggers = endpoints[Math.min(rank, endpoints.length - 1)];
  if (!triggers) throw new Error("a project without endpoints has no traffic");
  return triggers;
}

function decide(
  trigger: PlannedTrigger,
  p: { meant: PlannedTrigger; isMatching: boolean; random: Random; at: number },
): Verdict {
  const { slug, attachmentId, workflow } = trigger;
  const isMeant = trigger === p.meant;
  const outcome: VerdictOutcome =
    isMeant && p.isMatching ? (p.random.next() < 0.94 ? "matched" : "filter_mismatch") : "request_mismatch";
  const reason =
    outcome === "filter_mismatch"
      ? {
          pointer: "/amount",
          code: "too_small",
          message: "Too small: expected number to be >=100",
          expected: "integer ≥ 100",
          actual: "12",
        }
      : {
          pointer: "/type",
          code: "invalid_value",
          message: `Invalid input: expected "${trigger.type}"`,
          expected: trigger.type,
          actual: p.meant.type,
        };
  return {
    trigger: slug,
    attachmentId,
    target: { kind: "workflow", slug: workflow },
    outcome,
    runId: outcome === "matched" ? newId("run", p.at) : null,
    reasons: outcome === "matched" ? [] : [reason],
  };
}

/** 300 bytes to 8 kB, most of them short. */
function makePayload(type: string, random: Random): Json {
  const name = random.pick(names);
  const wanted = 120 + Math.floor(7600 * random.next() ** 3);
  const notes: string[] = [];
  for (let bytes = 0; bytes < wanted;) {
    const note = `${random.pick(words)} ${random.pick(words)} ${random.between(1, 1e6)}`;
    notes.push(note);
    bytes += note.length + 3;
  }
  return {
    id: `evt_${random.between(1, 2 ** 40).toString(36)}`,
    type,
    amount: random.between(100, 90_000),
    customer: { name, email: `${name.slice(0, 3).toLowerCase()}@example.com` },
    notes,
  };
}

function rejected(p: { endpoint: string; status: number; code: string; payload: Json; at: number }): MadeDelivery {
  const rejected = {
    outcome: "rejected",
    responseStatus: p.status,
    problem: problemOf(p.status, p.code),
    redeliveryOf: null,
  } as const;
  const delivery = { ...draft(p.endpoint, p.payload, p.at), ...rejected, ...noVerdicts };
  return { delivery, payload: null, matched: [] };
}

function draft(endpoint: string, payload: Json, at: number) {
  const body = payload === null ? null : Buffer.from(JSON.stringify(payload));
  return {
    id: newId("dlv", at),
    endpoint,
    receivedAt: at,
    method: "POST",
    headers: {
      host: "hooks.example.com",
      "content-type": "application/json",
      "user-agent": "Sender/2.1",
      "content-length": String(body?.length ?? 0),
    },
    body,
    bodyBytes: body?.length ?? 0,
    bodySha256: body && createHash("sha256").update(body).digest("hex"),
    durationMs: 1.5,
    keyId: null,
  };
}

function problemOf(status: number, code: string) {
  return { type: `/errors/${code}`, title: "The request was rejected", status, code, detail: "It was rejected." };
}

function misspell(endpoint: string): string {
  return endpoint.slice(1);
}
