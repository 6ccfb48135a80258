import { z } from "zod";
import {
  describedDeliverySchema,
  describedSummarySchema,
  type DescribedSummary,
  sentDeliverySchema,
  unlistedVerdictsSchema,
  type VerdictList,
  verdictSchema,
} from "../../contract/delivery.ts";
import { deliveryFilterSchema } from "../../contract/filters.ts";
import { searchPageSchema } from "../../contract/list.ts";
import { runSchema } from "../../contract/run.ts";
import { countVerdicts, formatReason } from "../../shared/deliveries/describe-reason.ts";
import { formatCount } from "../../shared/format.ts";
import { apiPath } from "../../contract/api-request.ts";
import { ServiceProblem } from "../service-api.ts";
import { defineTool } from "../tool.ts";
import {
  body,
  deliveryId,
  endpoint,
  filterInput,
  headers,
  query,
  readBody,
  toFilterQuery,
  trigger,
  waitSeconds,
} from "./inputs.ts";
import { describeEnd } from "./run-tools.ts";
import { describeBody, describeRun, describeVerdict } from "./shapes.ts";

const verdictsAnswer = z.object({
  verdicts: z.array(verdictSchema),
  unlistedVerdicts: z.array(unlistedVerdictsSchema),
});

export const explainDelivery = defineTool({
  name: "explain_delivery",
  title: "Explain a delivery",
  description:
    "Why a recorded delivery did, or did not, start runs: the request with its body, the response, and the verdict of each trigger with the path, the expected and the actual value. Also evaluates the delivery again by the current build, and so shows whether a fix works. Starts nothing.",
  input: z.strictObject({ id: deliveryId, trigger: trigger.optional().describe("Only the verdicts of this trigger") }),
  uses: ["getDelivery", "explainDelivery"],
  async call({ id, trigger: slug }, api) {
    const delivery = await api.request({ path: apiPath`/deliveries/${id}`, answer: describedDeliverySchema });
    const now = await api
      .request({ path: apiPath`/deliveries/${id}/verdicts`, query: { trigger: slug }, answer: verdictsAnswer })
      .catch((error: unknown) => {
        if (error instanceof ServiceProblem) return error;
        throw error;
      });
    const { verdicts, unlistedVerdicts, json: _, evaluated: __, bodySha256: ___, ...request } = delivery;
    const isWanted = (verdict: { trigger: string }) => slug === undefined || verdict.trigger === slug;
    return {
      facts: [
        `The response was ${delivery.responseStatus} (${delivery.outcome}). ${describeMatches(delivery, "matched then")}`,
        now instanceof ServiceProblem
          ? "The current build cannot evaluate it: see `current`."
          : `By the current build: ${describeMatches(now, "would match now")}`,
        ...(delivery.isMasked ? ["Sensitive values are fakes."] : []),
      ],
      data: {
        ...request,
        body: describeBody(delivery),
        recorded: { verdicts: verdicts.filter(isWanted).map(describeVerdict), unlistedVerdicts },
        current:
          now instanceof ServiceProblem
            ? { problem: now.problem }
            : { verdicts: now.verdicts.map(describeVerdict), unlistedVerdicts: now.unlistedVerdicts },
      },
    };
  },
});

function describeMatches(list: VerdictList, did: string): string {
  const matched = list.verdicts.filter(({ outcome }) => outcome === "matched").length;
  return `${matched} of ${formatCount(countVerdicts(list), "trigger")} ${did}.`;
}

/** Pages of a selective filter can be short or empty. */
const maxPages = 5;

export const searchDeliveries = defineTool({
  name: "search_deliveries",
  title: "Search deliveries",
  description:
    "Lists recorded deliveries, newest first, with their outcome, their verdicts and the ids of their runs. `text` finds text in bodies. With `verdict`, `trigger` is required. explain_delivery shows one of them completely.",
  input: z.strictObject({
    ...filterInput(deliveryFilterSchema),
    limit: z.int().min(1).max(50).default(10),
    cursor: z.string().optional().describe("`nextCursor` of an earlier result, for the next page"),
  }),
  uses: ["listDeliveries"],
  async call({ limit, cursor, ...filter }, api) {
    const query = toFilterQuery(filter);
    const found: DescribedSummary[] = [];
    let next: string | null = cursor ?? null;
    for (let pages = 0; pages < maxPages; pages++) {
      const page: { data: DescribedSummary[]; nextCursor: string | null } = await api.request({
        path: "/deliveries",
        query: { ...query, limit: limit - found.length, cursor: next ?? undefined },
        answer: searchPageSchema(describedSummarySchema),
      });
      found.push(...page.data);
      next = page.nextCursor;
      if (next === null || found.length >= limit) break;
    }
    return {
      facts: [
        `${formatCount(found.length, "delivery", "deliveries")} found, newest first.`,
        ...(next === null ? [] : ["There are more: `nextCursor` continues."]),
      ],
      data: { deliveries: found.map(describeRow), nextCursor: next },
    };
  },
});

function describeRow({
  id,
  endpoint: at,
  receivedAt,
  outcome,
  responseStatus,
  problem,
  ...delivery
}: DescribedSummary) {
  return {
    id,
    endpoint: at,
    receivedAt,
    outcome,
    responseStatus,
    decision: delivery.decision,
    ...(problem ? { problem: problem.detail } : {}),
    ...(delivery.redeliveryOf === null ? {} : { redeliveryOf: delivery.redeliveryOf }),
    verdicts: delivery.verdicts.map((verdict) => ({
      trigger: verdict.trigger,
      outcome: verdict.outcome,
      ...(verdict.runId === null ? {} : { runId: verdict.runId }),
      ...(verdict.reasons[0] ? { why: formatReason(verdict.reasons[0]) } : {}),
    })),
  };
}

export const sendAndWait = defineTool({
  name: "send_and_wait",
  title: "Send a webhook and wait",
  description:
    "Sends a body, and optional headers and a query, to an endpoint as a sender would, without a key or a signature, and waits until the runs that it starts, or that waited for it, have ended. Returns the response, and each run with its output or error. This executes workflows with all of their effects: try test_trigger first.",
  input: z.strictObject({
    endpoint,
    body,
    headers: headers.optional(),
    query: query.optional(),
    trigger: trigger.optional().describe("The only trigger that evaluates it. Default: all triggers on the endpoint"),
    waitSeconds: waitSeconds(30),
  }),
  uses: ["sendDelivery", "getRun"],
  async call({ body: given, waitSeconds: wait, ...request }, api) {
    const { body: json, facts } = readBody(given);
    const sent = await api.request({
      method: "POST",
      path: "/deliveries",
      body: { ...request, body: json },
      answer: sentDeliverySchema,
    });
    const { woke = [] } = sent;
    const runs = await Promise.all(
      [...sent.runs, ...woke].map(({ runId }) =>
        api.request({ path: apiPath`/runs/${runId}`, query: { wait }, answer: runSchema }),
      ),
    );
    return {
      facts: [
        ...facts,
        `The response was ${sent.status}. ${[
          `${formatCount(sent.runs.length, "run")} started`,
          ...(woke.length > 0 ? [`${formatCount(woke.length, "waiting run")} woken`] : []),
        ].join(", ")}${runs.length === 0 ? "." : ":"}`,
        ...runs.map((run) => describeEnd(run)),
        ...(runs.length === 0 ? ["test_trigger shows why."] : []),
      ],
      data: { ...sent, runs: runs.map((run) => describeRun(run)) },
    };
  },
});
