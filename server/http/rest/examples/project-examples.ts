import type { Backtest } from "../../../contract/backtest.ts";
import type { DriftReport } from "../../../contract/drift.ts";
import type { JsonSchemaObject } from "../../../contract/json.ts";
import type { Build, BuildList, BuildOutline, OpenRunCheck } from "../../../contract/project/build.ts";
import type { Verdict } from "../../../contract/delivery.ts";
import type { InferredTriggerAnswer } from "../../../triggers/infer-trigger.ts";
import type { Trigger } from "../../../triggers/read-triggers.ts";
import { matched } from "./delivery-examples.ts";
import { ids, type OperationExamples, previousVersion, signup, version, workflow } from "./example-values.ts";
import { started } from "./run-examples.ts";

const request: JsonSchemaObject = {
  type: "object",
  properties: { name: { type: "string", minLength: 1 }, email: { type: "string", format: "email" } },
  required: ["name", "email"],
};

const trigger: Trigger = {
  slug: "new-signup",
  endpoint: "signup",
  attachmentId: "new-signup:welcome-email",
  target: workflow,
  file: "triggers/new-signup.ts",
  hasTransform: true,
  request,
  filter: null,
  headers: null,
  query: null,
  body: [{ type: "json", bigints: "number" }],
  verify: null,
  dedupe: null,
  rateLimit: null,
  onMismatch: null,
  reply: null,
  challenges: [],
  methods: ["POST"],
  prompt: null,
  key: null,
  path: "/triggers/signup",
  example: signup,
  disabled: null,
};

const mismatch: Verdict = {
  ...matched,
  outcome: "request_mismatch",
  runId: null,
  reasons: [
    {
      pointer: "/email",
      code: "invalid_format",
      message: "Invalid email address",
      expected: "email",
      actual: '"ada"',
    },
  ],
};

const inferred: InferredTriggerAnswer = {
  endpoint: "signup",
  trigger: {
    slug: "signup",
    file: "triggers/signup.ts",
    code: 'import { defineWebhookSource } from "signalbox/trigger";\n…',
  },
  workflow: {
    slug: "handle-signup",
    file: "workflows/handle-signup.ts",
    code: 'import { defineWorkflow } from "signalbox/workflow";\n…',
  },
  deliveries: 214,
  firstSeen: "2026-11-14T10:12:41.120Z",
  lastSeen: "2026-11-21T10:00:00.000Z",
  isComplete: true,
  kindAt: null,
  kinds: [],
  only: null,
};

const drift: DriftReport = {
  data: [
    {
      endpoint: "signup",
      kind: null,
      change: "missing_field",
      pointer: "/name",
      trigger: null,
      expected: "string",
      actual: null,
      since: "2026-11-21T09:40:12.000Z",
      deliveries: 31,
      of: 31,
      reasons: [],
      text: "/name is missing, in all of 31 deliveries",
    },
  ],
  compared: [{ endpoint: "signup", kinds: 1, deliveries: 214, lastSeen: "2026-11-21T10:00:00.000Z", isComplete: true }],
};

const backtest: Backtest = {
  version,
  since: "2026-11-14T10:00:00.000Z",
  until: "2026-11-21T10:00:00.000Z",
  endpoint: null,
  trigger: null,
  compared: 214,
  notCompared: [{ reason: "rejected", code: "unauthorized", deliveries: 3, example: ids.otherDelivery }],
  isComplete: true,
  gained: 0,
  lost: 1,
  failed: 0,
  triggers: [
    {
      trigger: "new-signup",
      attachmentId: "new-signup:welcome-email",
      target: workflow,
      gained: 0,
      lost: 1,
      failed: 0,
      changes: [
        {
          change: "lost",
          deliveryId: ids.delivery,
          endpoint: "signup",
          receivedAt: "2026-11-21T10:00:00.000Z",
          outcome: "request_mismatch",
          reasons: mismatch.reasons,
          runId: ids.run,
        },
      ],
      failures: [],
    },
  ],
};

const build: Build = { id: version, builtAt: "2026-11-21T09:30:00.000Z", isCurrent: true, openRuns: 3 };
const previous: Build = { ...build, id: previousVersion, builtAt: "2026-11-18T14:05:00.000Z", isCurrent: false };
const outline: BuildOutline = {
  id: version,
  triggers: ["new-signup:welcome-email"],
  targets: [
    {
      target: workflow,
      steps: [
        { kind: "sleep", name: "let the account settle" },
        { kind: "step", name: "send" },
      ],
      versions: "pin",
    },
  ],
};
const check: OpenRunCheck = {
  openRuns: 3,
  checkedRuns: 3,
  uncheckedInputs: 0,
  misfits: 0,
  failing: 0,
  data: [],
  neededBuilds: [previousVersion],
};

const disabled = { at: "2026-11-21T11:00:00.000Z", reason: "The mail server is being moved" };

export const projectExamples: OperationExamples = {
  listTriggers: { answers: { 200: { data: [trigger] } } },
  startTriggerRuns: {
    request: signup,
    answers: { 200: { ok: true, skipped: true }, 202: started(ids.run, "new-signup", workflow) },
  },
  disableTrigger: {
    request: { reason: disabled.reason },
    answers: { 200: { slug: "new-signup", disabled } },
  },
  enableTrigger: { answers: { 200: { slug: "new-signup", disabled: null } } },
  explainBody: {
    request: { endpoint: "signup", body: { ...signup, email: "ada" } },
    answers: { 200: { data: [mismatch] } },
  },
  inferTrigger: { answers: { 200: inferred } },
  readDrift: { answers: { 200: drift } },
  triggerUrl: {
    answers: {
      200: { endpoint: "signup", url: "https://hooks.example.com/triggers/signup?token=sbk_…", keyId: ids.key },
    },
  },
  backtest: { answers: { 200: backtest } },
  listBuilds: {
    answers: { 200: { data: [build, previous], previous: previousVersion, canRollBack: true } satisfies BuildList },
  },
  checkOpenRuns: { request: outline, answers: { 200: check } },
  rollBack: { answers: { 200: { ...previous, isCurrent: true } satisfies Build } },
};
