import { z } from "zod";
import { problemErrorSchema } from "../../../../server/contract/problem.ts";
import { shortText } from "../../../../server/shared/json/short-json.ts";
import { FinalFailure } from "../../../../server/engine/run-errors.ts";
import { parseInput, type RunToPrepare, transformPayload } from "../../../../server/engine/run-values.ts";
import type { CheckInput } from "../../../../server/matching/backtest.ts";
import { agentInput } from "../../../../server/matching/schemas/agent-input.ts";
import type { ProjectCode } from "../../../../server/ports/project.ts";
import { formatInterval } from "../../../../server/shared/format.ts";

/** `transform`: calls the transform. `input`: also parses its result with the `input` of the target. */
export type InputCheck = "transform" | "input";

const timeoutMs = 10_000;
const maxMessage = 2_000;

const problemErrors = z.array(problemErrorSchema);

/** Makes the input of the run that a match would start, as a worker does. The target's code is not called. */
export function createInputCheck(code: ProjectCode, check: InputCheck): CheckInput {
  return async ({ trigger: { slug, attachmentId, target }, payload, delivery }) => {
    if (!target) return null;
    const receivedAt = Date.parse(delivery.receivedAt);
    const run: RunToPrepare = {
      input: null,
      payload,
      trigger: slug,
      attachmentId,
      target,
      createdAt: receivedAt,
      request: { deliveryId: delivery.id, receivedAt, headers: delivery.headers },
    };
    try {
      await within(check === "transform" ? transformPayload(run, code) : makeInput(run, code));
      return null;
    } catch (error) {
      return describeFailure(error);
    }
  };
}

async function makeInput(run: RunToPrepare, code: ProjectCode): Promise<void> {
  const { kind, slug } = run.target;
  const target = kind === "agent" ? { slug, input: agentInput } : await code.workflow(slug);
  if (!target) throw new FinalFailure("UnknownTarget", `The build has no ${kind} ${slug}.`);
  await parseInput(run, target, code);
}

async function within(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new FinalFailure("TransformFailed", `The transform took more than ${formatInterval(timeoutMs)}.`)),
      timeoutMs,
    );
  });
  try {
    await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function describeFailure(error: unknown): Awaited<ReturnType<CheckInput>> {
  const errors = error instanceof FinalFailure ? (problemErrors.safeParse(error.errors).data ?? []) : [];
  if (!(error instanceof Error)) return { name: "Error", message: shortText(String(error), maxMessage), errors };
  return { name: error.name, message: shortText(error.message, maxMessage), errors };
}
