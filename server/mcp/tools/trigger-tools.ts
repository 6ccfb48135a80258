import { z } from "zod";
import { backtestSchema } from "../../contract/backtest.ts";
import { verdictSchema } from "../../contract/delivery.ts";
import { hasTarget } from "../../contract/project/target.ts";
import { formatCount } from "../../shared/format.ts";
import { inferredTriggerSchema } from "../../triggers/infer-trigger.ts";
import { triggerSchema } from "../../triggers/read-triggers.ts";
import { defineTool } from "../tool.ts";
import { body, deliveryId, endpoint, headers, query, readBody, since, toMoment, trigger } from "./inputs.ts";
import { describeTarget, describeVerdict } from "./shapes.ts";

const triggersAnswer = z.object({ data: z.array(triggerSchema) });

export const listTriggers = defineTool({
  name: "list_triggers",
  title: "List triggers",
  description:
    "Lists the triggers of the current build: endpoint, target (`null`: it starts nothing and only wakes runs), file, and whether each is disabled. With `trigger`, also its schemas (JSON Schema of the body, the filter and the headers) and an example body. Start here.",
  input: z.strictObject({ endpoint: endpoint.optional(), trigger: trigger.optional() }),
  uses: ["listTriggers"],
  async call({ endpoint: wanted, trigger: slug }, api) {
    const { data } = await api.request({ path: "/triggers", query: { endpoint: wanted }, answer: triggersAnswer });
    const found = data.filter((one) => slug === undefined || one.slug === slug);
    const rows = found.map(
      ({ slug: name, target, endpoint: at, file, verify, disabled, hasTransform, ...details }) => ({
        trigger: name,
        endpoint: at,
        target: describeTarget(target),
        file,
        verify,
        disabled,
        ...(slug === undefined
          ? {}
          : {
              hasTransform,
              request: details.request,
              filter: details.filter,
              headers: details.headers,
              formats: details.body.map(({ type }) => type),
              onMismatch: details.onMismatch,
              example: details.example,
            }),
      }),
    );
    const facts = [`${formatCount(rows.length, "trigger")} found.`];
    return {
      facts: rows.length === 0 && slug !== undefined ? [...facts, "Call list_triggers without arguments."] : facts,
      data: rows,
    };
  },
});

export const testTrigger = defineTool({
  name: "test_trigger",
  title: "Test a body",
  description:
    "Evaluates a body, and optional headers and a query, by all triggers of an endpoint or by one trigger of the current build. Returns each verdict with the path, the expected and the actual value. Starts and records nothing.",
  input: z.strictObject({
    endpoint: endpoint.optional(),
    trigger: trigger.optional().describe("Slug of a trigger. Exactly one of `endpoint` and `trigger` is required"),
    body,
    headers: headers.optional(),
    query: query.optional(),
  }),
  uses: ["explainBody"],
  async call({ body: given, ...rest }, api) {
    const { body: json, facts } = readBody(given);
    const { data } = await api.request({
      method: "POST",
      path: "/verdicts",
      body: { ...rest, body: json },
      answer: z.object({ data: z.array(verdictSchema) }),
    });
    const starting = data.filter((verdict) => verdict.outcome === "matched" && hasTarget(verdict)).length;
    return {
      facts: [
        ...facts,
        `${starting} of ${formatCount(data.length, "trigger")} would start a run. Nothing was started or recorded.`,
      ],
      data: data.map(describeVerdict),
    };
  },
});

export const backtest = defineTool({
  name: "backtest",
  title: "Backtest the current build",
  description:
    "Evaluates recorded deliveries again with the current build and lists the triggers that would fire now and did not (gained), or fired and would not now (lost). Use it after you changed and built a trigger. Starts and records nothing.",
  input: z.strictObject({
    endpoint: endpoint.optional(),
    trigger: trigger.optional(),
    since: since.optional().describe("Start of the period, as an ISO 8601 time or a duration before now. Default: 7d"),
    build: z
      .string()
      .optional()
      .describe("A kept build to compare with, e.g. before a rollback. Default: the current build"),
  }),
  uses: ["backtest"],
  async call({ since: from, ...query }, api) {
    const report = await api.request({
      path: "/backtest",
      query: { ...query, since: toMoment(from) },
      answer: backtestSchema,
    });
    const { compared, gained, lost, isComplete } = report;
    return {
      facts: [
        `${formatCount(compared, "delivery", "deliveries")} compared: ${formatCount(gained, "firing")} gained, ${lost} lost.`,
        ...(isComplete ? [] : ["Only the newest deliveries of the period were read."]),
      ],
      data: report,
    };
  },
});

export const inferSchema = defineTool({
  name: "infer_schema",
  title: "Infer a schema from deliveries",
  description:
    "Writes the TypeScript of a trigger, with its Zod schema, from the recorded deliveries of an endpoint, and of a workflow for it. Review the code before you save it: its values come from payloads. Writes nothing.",
  input: z.strictObject({
    endpoint,
    since: since.optional().describe("Start of the period, as an ISO 8601 time or a duration before now. Default: 7d"),
    only: z.string().optional().describe("Only deliveries of this kind, one of `kinds` of an earlier result"),
    delivery: deliveryId.optional().describe("Only deliveries of the same kind as this one: `dlv_…`"),
  }),
  uses: ["inferTrigger"],
  async call({ since: from, ...query }, api) {
    const {
      trigger: code,
      workflow,
      deliveries,
      isComplete,
      kindAt,
      kinds,
      only,
      ...period
    } = await api.request({
      path: "/inferred-trigger",
      query: { ...query, since: toMoment(from) },
      answer: inferredTriggerSchema,
    });
    return {
      facts: [
        `Inferred from ${formatCount(deliveries, "delivery", "deliveries")}.`,
        ...(only === null && kinds.length > 1
          ? [`They are of ${kinds.length} kinds: \`only\` writes a trigger for one of them.`]
          : []),
        ...(isComplete ? [] : ["Only the newest deliveries of the period were read."]),
      ],
      data: { trigger: code, workflow, kindAt, kinds, only, ...period },
    };
  },
});
