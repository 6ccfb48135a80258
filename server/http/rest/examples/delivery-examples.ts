import type { RecordedDeliveryLine } from "../../../contract/backtest.ts";
import type {
  DeliverySummary,
  DescribedDelivery,
  DescribedSummary,
  ReleaseBatch,
  ReleasedDelivery,
  SentDelivery,
  Verdict,
} from "../../../contract/delivery.ts";
import type { Page } from "../../../contract/list.ts";
import { ids, type OperationExamples, signup, signupBody, signupSha256, workflow } from "./example-values.ts";

export const matched: Verdict = {
  trigger: "new-signup",
  attachmentId: "new-signup:welcome-email",
  target: workflow,
  outcome: "matched",
  runId: ids.run,
  reasons: [],
};

const summary: DeliverySummary = {
  id: ids.delivery,
  endpoint: "signup",
  receivedAt: "2026-11-21T10:00:00.000Z",
  method: "POST",
  headers: { "content-type": "application/json", "user-agent": "shop/2.4" },
  bodyBytes: signupBody.length,
  bodySha256: signupSha256,
  outcome: "accepted",
  responseStatus: 202,
  problem: null,
  verdicts: [matched],
  unlistedVerdicts: [],
  durationMs: 2.1,
  redeliveryOf: null,
};
const recorded: RecordedDeliveryLine = { ...summary, body: Buffer.from(signupBody).toString("base64") };
const decision = "new-signup fired";
const delivery: DescribedDelivery = { ...recorded, json: signup, evaluated: null, decision };

const released: ReleasedDelivery = {
  id: ids.delivery,
  endpoint: "signup",
  result: "released",
  runs: [{ runId: ids.run, trigger: "new-signup", target: workflow }],
  message: null,
};

export const deliveryExamples: OperationExamples = {
  listDeliveries: {
    answers: { 200: { data: [{ ...summary, decision }], nextCursor: null } satisfies Page<DescribedSummary> },
  },
  getDelivery: { answers: { 200: delivery } },
  revealDelivery: { answers: { 200: delivery } },
  getDeliveryFile: { answers: { 200: "%PDF-1.7 …" } },
  explainDelivery: { answers: { 200: { verdicts: [{ ...matched, runId: null }], unlistedVerdicts: [] } } },
  exportDeliveries: { answers: { 200: `${JSON.stringify(recorded)}\n` } },
  followDeliveries: {
    answers: { 200: `id: 41.${ids.delivery}.1763719200000\nevent: delivery\ndata: ${JSON.stringify(recorded)}\n\n` },
  },
  sendDelivery: {
    request: { endpoint: "signup", body: signup },
    answers: {
      200: {
        deliveryId: ids.delivery,
        status: 202,
        runs: [{ runId: ids.run, trigger: "new-signup", target: workflow }],
        problem: null,
      } satisfies SentDelivery,
    },
  },
  redeliver: {
    request: { trigger: "new-signup" },
    answers: {
      202: {
        ...delivery,
        id: ids.otherDelivery,
        receivedAt: "2026-11-21T11:30:00.000Z",
        verdicts: [{ ...matched, runId: ids.otherRun }],
        redeliveryOf: ids.delivery,
      } satisfies DescribedDelivery,
    },
  },
  releaseDelivery: { request: { dryRun: false }, answers: { 200: released } },
  releaseDeliveries: {
    request: { endpoint: "signup", since: "2026-11-20T00:00:00Z", dryRun: false },
    answers: { 200: { released: 1, data: [released], nextCursor: null } satisfies ReleaseBatch },
  },
};
