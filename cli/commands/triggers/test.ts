import type { BodyFormat, Methods } from "../../../server/contract/project/endpoint.ts";
import { bigintsOf } from "../../../server/contract/request-parts.ts";
import { didYouMean } from "../../../sdk/did-you-mean.ts";
import type { ApiClient } from "../../api/api-client.ts";
import { Failure, usageFailure } from "../../terminal/failure.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { dataOption, headerOption, methodOption, queryOption, readData, parseAgo, readJsonData } from "../options.ts";
import { createWebhookRequest } from "./webhook-request.ts";
import { parseBody, queryFormat } from "../../../server/domain/requests/body-format.ts";
import { AppError } from "../../../server/contract/app-error.ts";
import type { Json } from "../../../server/contract/json.ts";
import { renderVerdicts } from "../../terminal/status-marks.ts";
import { backtest, type BacktestOptions } from "./backtest/backtest.ts";
import { listsTriggers, triggersAnswer, verdictsAnswer } from "./trigger-answers.ts";

export function registerTriggersTest(triggers: CliCommand, runner: CommandRunner): void {
  triggers
    .subcommand("test", "Evaluate a body, or recorded deliveries, without starting runs", [
      `signalbox triggers test new-signup --data '{"name": "Ada", "email": "ada@example.com"}'`,
      "signalbox triggers test billing --data @invoice.json",
      'signalbox triggers test github --data @issue.json --header "x-github-event: issues"',
      "signalbox triggers test sms/status --data 'id=7&status=failed' --method GET",
      "signalbox triggers test --since 7d --endpoint billing --fail-on-change",
    ])
    .argument("[slug-or-endpoint]", "A trigger, or an endpoint for all triggers on it")
    .option(...dataOption)
    .option(...headerOption)
    .option(...methodOption)
    .option(...queryOption)
    .option(
      "--since <duration>",
      "Evaluate the recorded deliveries of this last period with the working tree",
      parseAgo,
    )
    .option("--endpoint <endpoint>", "With --since: only deliveries to this endpoint")
    .option("--build <id>", "With --since: use a build of this machine, not the working tree, e.g. before a rollback")
    .option("--transform", "With --since: call the transform of each trigger that fires")
    .option("--input", "With --since: the same, and check the input of its target")
    .option("--fail-on-change", "With --since: exit code 1 if a trigger fires differently, or a run would fail")
    .action(runner.action(test));
}

interface GivenRequest {
  data?: string;
  header?: Record<string, string[]>;
  method?: Methods[number];
  query?: string;
}

type Options = Partial<BacktestOptions> & GivenRequest;

async function test(
  context: CommandContext,
  slugOrEndpoint: string | undefined,
  { data, header, method, query, since, ...options }: Options,
): Promise<number | void> {
  if (since !== undefined) {
    if ([data, header, method, query].every((given) => given === undefined))
      return backtest(context, slugOrEndpoint, { ...options, since });
    throw usageFailure("--since evaluates recorded deliveries, and --data a new body.", "Use one of the two.");
  }
  const [unused] = Object.keys(options);
  if (unused !== undefined)
    throw usageFailure(
      `--${unused === "failOnChange" ? "fail-on-change" : unused} needs --since.`,
      "For example: --since 7d",
    );
  if (data === undefined)
    throw usageFailure("--data or --since is missing.", "Run `signalbox triggers test --help` for usage.");
  if (slugOrEndpoint === undefined)
    throw usageFailure("A trigger or an endpoint is missing.", "Run `signalbox triggers test --help` for usage.");
  return testRequest(context, slugOrEndpoint, {
    data,
    ...(header && { header }),
    ...(method && { method }),
    ...(query && { query }),
  });
}

/** Exit code 0 whenever there are verdicts: a mismatch is a result, not a failure. */
async function testRequest(
  context: CommandContext,
  slugOrEndpoint: string,
  { data, header: headers, query, method }: GivenRequest & { data: string },
): Promise<void> {
  const api = await context.api();
  const { tested, formats, methods } = await findTriggerOrEndpoint(api, slugOrEndpoint);
  const isGet = (method ?? methods[0]) === "GET";
  const body = isGet
    ? readQueryBody(await readData(data, context), query)
    : await readJsonData(data, context, { bigints: bigintsOf(formats) });
  const document = await api.request({
    method: "POST",
    path: "/verdicts",
    body: { ...tested, headers, ...(!isGet && { query }), body },
    answer: verdictsAnswer,
  });
  context.print({ document, text: () => renderVerdicts(document.data, context.terminal.out.paint) });
}

/** The query of a GET as its body, as the receiver reads it. */
function readQueryBody(data: Uint8Array, query = ""): Json {
  const { query: sent } = createWebhookRequest({ data, headers: {}, formats: [], method: "GET", query });
  try {
    return parseBody(Buffer.from(sent), { format: queryFormat, contentType: undefined, deliveryId: "" }).json;
  } catch (error) {
    throw error instanceof AppError ? usageFailure(error.message) : error;
  }
}

/** Resolves a trigger slug or an endpoint. Slugs take precedence, as in `triggers url`. */
async function findTriggerOrEndpoint(
  api: ApiClient,
  given: string,
): Promise<{ tested: { trigger: string } | { endpoint: string }; formats: readonly BodyFormat[]; methods: Methods }> {
  const { data } = await api.request({ path: "/triggers", answer: triggersAnswer });
  const trigger = data.find(({ slug }) => slug === given);
  if (trigger) return { tested: { trigger: given }, formats: trigger.body, methods: trigger.methods };
  const onEndpoint = data.find(({ endpoint }) => endpoint === given);
  if (onEndpoint) return { tested: { endpoint: given }, formats: onEndpoint.body, methods: onEndpoint.methods };
  const hint = didYouMean(
    given,
    data.flatMap(({ slug, endpoint }) => [slug, endpoint]),
  );
  throw new Failure(`Unknown trigger or endpoint ${JSON.stringify(given)}.${hint}`, {
    code: "not_found",
    fix: listsTriggers,
  });
}
