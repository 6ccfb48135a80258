import { didYouMean } from "../../../server/domain/did-you-mean.ts";
import type { ApiClient } from "../../api/api-client.ts";
import { Failure } from "../../terminal/failure.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { dataOption, headerOption, readJsonData } from "../options.ts";
import { renderVerdicts } from "../../terminal/status-marks.ts";
import { listsTriggers, triggersAnswer, verdictsAnswer } from "./trigger-answers.ts";

export function registerTriggersTest(triggers: CliCommand, runner: CommandRunner): void {
  triggers
    .subcommand("test", "Evaluate a body against each trigger, without starting runs", [
      `signalbox triggers test new-signup --data '{"name": "Ada", "email": "ada@example.com"}'`,
      "signalbox triggers test billing --data @invoice.json",
      'signalbox triggers test github --data @issue.json --header "x-github-event: issues"',
    ])
    .argument("<slug-or-endpoint>", "A trigger, or an endpoint for all triggers on it")
    .requiredOption(...dataOption)
    .option(...headerOption)
    .action(runner.action(testTrigger));
}

/** Exit code 0 whenever there are verdicts: a mismatch is a result, not a failure. */
async function testTrigger(
  context: CommandContext,
  slugOrEndpoint: string,
  { data, header: headers }: { data: string; header?: Record<string, string[]> },
): Promise<void> {
  const body = await readJsonData(data, context);
  const api = await context.api();
  const tested = await findTriggerOrEndpoint(api, slugOrEndpoint);
  const document = await api.request({
    method: "POST",
    path: "/verdicts",
    body: { ...tested, headers, body },
    answer: verdictsAnswer,
  });
  context.print({ document, text: () => renderVerdicts(document.data, context.terminal.out.paint) });
}

/** Resolves a trigger slug or an endpoint. Slugs take precedence, as in `triggers url`. */
async function findTriggerOrEndpoint(
  api: ApiClient,
  given: string,
): Promise<{ trigger: string } | { endpoint: string }> {
  const { data } = await api.request({ path: "/triggers", answer: triggersAnswer });
  if (data.some(({ slug }) => slug === given)) return { trigger: given };
  if (data.some(({ endpoint }) => endpoint === given)) return { endpoint: given };
  const hint = didYouMean(
    given,
    data.flatMap(({ slug, endpoint }) => [slug, endpoint]),
  );
  throw new Failure(`Unknown trigger or endpoint ${JSON.stringify(given)}.${hint}`, {
    code: "not_found",
    fix: listsTriggers,
  });
}
