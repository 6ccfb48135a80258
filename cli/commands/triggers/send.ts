import type { Methods } from "../../../server/contract/project/endpoint.ts";
import { type Problem, problemSchema } from "../../../server/contract/problem.ts";
import type { Target } from "../../../server/contract/project/target.ts";
import type { Run } from "../../../server/contract/run.ts";
import { toWire } from "../../../server/domain/deliveries/header-values.ts";
import { joinQueries } from "../../../server/shared/deliveries/query-text.ts";
import { formatDuration } from "../../../server/shared/format.ts";
import { problemFailure } from "../../api/api-client.ts";
import { noResponse } from "../../api/no-response.ts";
import { findServiceUrl } from "../../api/running-server.ts";
import { Failure } from "../../terminal/failure.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { renderMark, runMarks } from "../../terminal/status-marks.ts";
import { renderTable } from "../../terminal/table.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { dataOption, headerOption, methodOption, queryOption, readData } from "../options.ts";
import { waitForRun } from "../runs/read-runs.ts";
import {
  heldAnswer,
  listsTriggers,
  type StartedRuns,
  startedRunsAnswer,
  triggersAnswer,
  urlAnswer,
} from "./trigger-answers.ts";
import { createWebhookRequest, signRequest, type WebhookRequest } from "./webhook-request.ts";

export function registerTriggersSend(triggers: CliCommand, runner: CommandRunner): void {
  triggers
    .subcommand("send", "Send a body to the running service over HTTP, as a sender would", [
      `signalbox triggers send new-signup --data '{"name": "Ada", "email": "ada@example.com"}'`,
      "signalbox triggers send billing --data @invoice.json --wait",
      'signalbox triggers send github --data @issue.json --header "x-github-event: issues"',
      `signalbox triggers send sms/status --data '{"id": "7"}' --method GET`,
      "signalbox triggers send github --data @push.json --header 'x-github-event: push' --sign",
    ])
    .argument("<slug-or-endpoint>", "A trigger or an endpoint. All triggers on the endpoint receive the body")
    .requiredOption(...dataOption)
    .option(...headerOption)
    .option(...methodOption)
    .option(...queryOption)
    .option(
      "--sign",
      "Sign as the sender does, with the `verify` of the project's build and a secret from the environment",
    )
    .option("--wait", "Wait until the runs end. Exit code 1 unless all completed")
    .action(runner.action(sendToTrigger));
}

async function sendToTrigger(
  context: CommandContext,
  slugOrEndpoint: string,
  options: {
    data: string;
    header?: Record<string, string[]>;
    method?: Methods[number];
    query?: string;
    sign?: boolean;
    wait?: boolean;
  },
): Promise<number> {
  const data = await readData(options.data, context);
  const serviceUrl = findServiceUrl(context.projectDir);
  const api = await context.api();
  const { endpoint, url } = await api.request({
    path: "/url",
    query: { for: slugOrEndpoint },
    answer: urlAnswer,
    notFoundFix: listsTriggers,
  });
  const { data: triggers } = await api.request({ path: "/triggers", query: { endpoint }, answer: triggersAnswer });
  const { header: headers = {}, method, query = "" } = options;
  const [{ body: formats, methods } = { body: [], methods: undefined }] = triggers;
  const unsigned = createWebhookRequest({ data, headers, formats, method: method ?? methods?.[0] ?? "POST", query });
  const parameters = joinQueries(new URL(url).search.slice(1), unsigned.query);
  const search = parameters === "" ? "" : `?${parameters}`;
  const path = `/triggers/${endpoint}`;
  const { projectDir, now } = context;
  const request = options.sign
    ? await signRequest(unsigned, { projectDir, endpoint, url: publicUrl(url, serviceUrl + path) + search, now: now() })
    : unsigned;
  const answer = await sendWebhook({ url: serviceUrl + path + search, serviceUrl, ...request });
  if (answer.status < 200 || answer.status > 299)
    throw sendFailure(answer, { endpoint, method: request.method, isSigned: options.sign === true });
  const { runs: started = [], woke = [] } = startedRunsAnswer.safeParse(answer.body).data ?? {};
  const ended = options.wait ? await Promise.all([...started, ...woke].map(({ runId }) => waitForRun(api, runId))) : [];
  const { problem: _, ...document } = { ...answer, ...(options.wait ? { runs: ended } : {}) };
  context.print({ document, text: () => renderAnswer({ answer, started, woke, ended, endpoint, context }) });
  return ended.every((run) => run.status === "completed") ? 0 : 1;
}

/**
 * The URL of the request for its receiver, without its query: without a base URL, it is the one to which the request is
 * sent.
 */
function publicUrl(url: string, sentTo: string): string {
  const { hostname, origin, pathname } = new URL(url);
  return ["localhost", "127.0.0.1", "[::1]"].includes(hostname) ? sentTo : origin + pathname;
}

function sendFailure(
  { status, deliveryId, problem, body }: WebhookAnswer,
  { endpoint, method, isSigned }: { endpoint: string; method: string; isSigned: boolean },
): Failure {
  const sent = { status, deliveryId };
  if (!problem)
    return new Failure(
      `Unexpected response to ${method} /triggers/${endpoint}: status ${status}, not from Signalbox.`,
      {
        code: "unexpected_answer",
        extra: { ...sent, body },
      },
    );
  const { message, details } = problemFailure(problem, fixOf(problem.code, { endpoint, isSigned }));
  return new Failure(`${status}: ${message}`, { ...details, extra: sent });
}

/** `undefined`: that of the table of error codes. */
function fixOf(code: string, { endpoint, isSigned }: { endpoint: string; isSigned: boolean }): string | undefined {
  if (code === "request_mismatch")
    return `\`signalbox triggers test ${endpoint} --data …\` checks a body without sending it.`;
  if (code === "invalid_signature" && !isSigned)
    return "Add `--sign`: it signs the request as the sender does, with the secret from the environment.";
  return undefined;
}

function renderAnswer(exchange: {
  answer: WebhookAnswer;
  started: StartedRuns["runs"];
  woke: NonNullable<StartedRuns["woke"]>;
  ended: readonly Run[];
  endpoint: string;
  context: CommandContext;
}): string {
  const { paint } = exchange.context.terminal.out;
  const { status, deliveryId, durationMs } = exchange.answer;
  const isHeld = heldAnswer.safeParse(exchange.answer.body).success;
  const hasRuns = exchange.started.length + exchange.woke.length > 0;
  const outcome = hasRuns ? "accepted" : isHeld ? "held" : "skipped";
  const first = `${paint("good", String(status))} ${outcome}  ${deliveryId ?? ""}  ${formatDuration(durationMs)}\n`;
  if (isHeld)
    return `${first}No trigger matched yet. \`signalbox deliveries release ${deliveryId ?? "<id>"}\` evaluates it again.\n`;
  if (!hasRuns)
    return `${first}No run was started. \`signalbox triggers test ${exchange.endpoint} --data …\` shows why.\n`;
  const rowOf = ({ runId, cause, target }: { runId: string; cause: string; target: Target | undefined }) => {
    const run = exchange.ended.find(({ id }) => id === runId);
    const of = target ?? run?.target;
    return [
      renderMark(runMarks[run?.status ?? "queued"], paint),
      runId,
      cause,
      of ? `${of.kind} ${of.slug}` : "",
      run?.error ? plainLine(run.error.message, 60) : "",
    ];
  };
  const rows = [
    ...exchange.started.map(({ runId, trigger, target }) => rowOf({ runId, cause: trigger ?? "", target })),
    ...exchange.woke.map(({ runId }) => rowOf({ runId, cause: "waited for it", target: undefined })),
  ];
  return first + renderTable({ headings: ["STATUS", "RUN", "TRIGGER", "TARGET", ""], rows, paint });
}

interface WebhookAnswer {
  status: number;
  deliveryId: string | null;
  durationMs: number;
  /** The parsed body; `null` if it is not JSON. */
  body: unknown;
  problem: Problem | null;
}

/** Sends a body as a sender would: over HTTP, byte for byte. Throws a Failure without a response. */
async function sendWebhook(request: WebhookRequest & { url: string; serviceUrl: string }): Promise<WebhookAnswer> {
  const startedAt = performance.now();
  const response = await fetch(request.url, {
    method: request.method,
    headers: Object.entries(request.headers).flatMap(([name, values]) =>
      values.map((value): [string, string] => [name, toWire(value)]),
    ),
    ...(request.method !== "GET" && { body: Buffer.from(request.body) }),
    redirect: "manual",
  }).catch((cause: unknown) => {
    throw noResponse(request.serviceUrl, cause);
  });
  const body: unknown = await response.json().catch(() => null);
  return {
    status: response.status,
    deliveryId: response.headers.get("signalbox-delivery"),
    durationMs: Math.round(performance.now() - startedAt),
    body,
    problem: response.ok ? null : (problemSchema.safeParse(body).data ?? null),
  };
}
