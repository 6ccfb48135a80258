import { isDeepStrictEqual } from "node:util";
import type { FailAt, RunOptions, TestRun, TestRunOptions } from "../sdk/test-project/index.ts";
import type { WorkflowContext } from "../sdk/workflow/index.ts";
import { didYouMean } from "../sdk/did-you-mean.ts";
import { createNames } from "../server/engine/steps/stored-steps.ts";
import { toJson } from "../server/engine/run-values.ts";
import type { LoadedAgent, LoadedWorkflow, ProjectCode } from "../server/ports/project.ts";
import type { AssignedRun, ProgressWriter } from "../server/ports/run-channel.ts";
import type { StepRecord } from "../server/ports/store/engine-store.ts";

export type StepFunction = (...args: never[]) => unknown;

/** Changes how the steps of one run behave, as a test requests, over all its executions. */
export interface StepProbe {
  /** Called before each execution. */
  begin(run: AssignedRun): void;
  /** The code of the build, whose steps are replaced, failed and noted. */
  wrapCode(code: ProjectCode): ProjectCode;
  /** `stop`: ends the execution, as if its process had ended. */
  wrapProgress(progress: ProgressWriter, stop: () => void): ProgressWriter;
  /** The steps and tools whose functions are executing. */
  inFlight(): readonly string[];
  /** Called after each execution. Throws an Error if the code is not deterministic. */
  end(): void;
  /** E.g. `workflow renewal`. */
  target: string;
  /** The names of all steps and tools that the run and its child runs have called. */
  called(): readonly string[];
  /** The probe of a child run: the same options apply to it. `target`: of the child run. */
  createChild(target: string): StepProbe;
  /**
   * What this execution of a child run calls with its input in place of its code; `null`: its own code. `name`: of the
   * step that has called or started it.
   */
  replaceChild(name: string): StepFunction | null;
}

export function createStepProbe(options: RunOptions, target: string): StepProbe {
  const failing = readFailAt(options.failAt);
  const { mockStep = {}, crashAfter, replayEveryStep = false } = options;
  const seen = new Set<string>();
  /** The steps after which a worker has ended. */
  const crashed = new Set<string>();
  const inFlight = new Set<string>();
  const children: StepProbe[] = [];
  let failsLeft = failing?.times ?? 0;
  let calls = new Set<string>();
  let completed: string[] = [];
  let firstOutput: { value: unknown } | null = null;
  let otherOutput: { value: unknown } | null = null;

  /** What is called in place of a step; `null`: its own function. */
  function replace(name: string): StepFunction | null {
    if (failing?.step === name && failsLeft > 0) {
      failsLeft -= 1;
      return () => {
        throw failing.error;
      };
    }
    if (!Object.hasOwn(mockStep, name)) return null;
    const mock = mockStep[name];
    return typeof mock === "function" ? (mock as StepFunction) : () => mock;
  }

  function substitute(name: string, fn: StepFunction): StepFunction {
    return async (...args) => {
      inFlight.add(name);
      try {
        return await (replace(name) ?? fn)(...args);
      } finally {
        inFlight.delete(name);
      }
    };
  }

  function note(name: string): void {
    calls.add(name);
    seen.add(name);
  }

  function wrapContext(ctx: WorkflowContext): WorkflowContext {
    const takeName = createNames();
    return {
      ...ctx,
      // Rejects, as the context does, if a name is invalid.
      async step(name: string, ...rest: unknown[]) {
        const key = takeName(name);
        note(key);
        const fn = rest.at(-1);
        const given = typeof fn === "function" ? [...rest.slice(0, -1), substitute(key, fn as StepFunction)] : rest;
        return await (ctx.step as (name: string, ...rest: unknown[]) => Promise<never>)(name, ...given);
      },
      sleep: noted(ctx.sleep),
      sleepUntil: noted(ctx.sleepUntil),
      waitFor: noted(ctx.waitFor),
      waitForAny: noted(ctx.waitForAny),
      call: noted(ctx.call),
      start: noted(ctx.start),
    };

    /** The call with a note of its name. */
    function noted<Call extends (...args: never[]) => Promise<unknown>>(call: Call): Call {
      const noting = async (...args: Parameters<Call>) => {
        note(takeName(args[0]));
        return await call(...args);
      };
      return noting as Call;
    }
  }

  function crashesAfter(name: string): boolean {
    if (crashed.has(name) || !(replayEveryStep || name === crashAfter)) return false;
    crashed.add(name);
    return true;
  }

  const isReplaying = replayEveryStep || crashAfter !== undefined;
  return {
    begin(run) {
      inFlight.clear();
      calls = new Set();
      // A new attempt may take another path.
      const own = run.steps.filter(
        ({ kind, attempt, finishedAt }) =>
          (kind === "step" || kind === "child") && attempt === run.attempt && finishedAt !== null,
      );
      completed = isReplaying && run.isResumed ? own.map(({ name }) => name) : [];
    },
    wrapCode: (code) => ({
      ...code,
      async workflow(slug) {
        const workflow = await code.workflow(slug);
        return workflow && withContext(workflow, wrapContext);
      },
      async agent(slug) {
        // The steps of agents are deterministic: they are Signalbox's own.
        completed = [];
        const agent = await code.agent(slug);
        return agent && withTools(agent, substitute, note);
      },
    }),
    wrapProgress: (progress, stop) => ({
      saveLive: progress.saveLive,
      async writeProgress(write) {
        const { transition, steps = [] } = write;
        if (replayEveryStep && transition?.to === "completed") {
          const output = { value: transition.output };
          if (firstOutput && !isDeepStrictEqual(firstOutput, output)) otherOutput = output;
          // The worker ends before its last write.
          if (!firstOutput) {
            firstOutput = output;
            return { held: false, cancelRequested: false };
          }
        }
        const result = await progress.writeProgress(write);
        const ended = steps.filter(({ finishedAt }) => finishedAt !== null).map(({ name }) => name);
        for (const name of ended) seen.add(name);
        if (transition || ended.filter(crashesAfter).length === 0) return result;
        stop();
        // The process has ended: nothing of the code continues.
        return await new Promise<never>(() => {});
      },
    }),
    inFlight: () => [...inFlight],
    end() {
      const missing = completed.filter((name) => !calls.has(name));
      if (missing.length > 0) {
        const others = [...calls].filter((name) => !completed.includes(name));
        throw notDeterministic(
          target,
          `After a replay, it did not call ${listSteps(missing)} again, which had completed. ${others.length > 0 ? `It called ${listSteps(others)}.` : "It called no other step."}`,
        );
      }
      if (firstOutput && otherOutput)
        throw notDeterministic(
          target,
          `It returned ${JSON.stringify(firstOutput.value)}, and ${JSON.stringify(otherOutput.value)} after a replay with the same results of its steps.`,
        );
    },
    target,
    called: () => [...seen, ...children.flatMap((child) => child.called())],
    createChild(ofChild) {
      const child = createStepProbe(options, ofChild);
      children.push(child);
      return child;
    },
    replaceChild: replace,
  };
}

/**
 * Throws an Error if none of the runs called the step that the test wants to fail, or after which it wants to crash.
 * The same for the name of a replaced step that is probably misspelled: a run can leave out such a step.
 */
export function requireReached(probes: readonly StepProbe[], options: RunOptions): void {
  const called = new Set(probes.flatMap((probe) => probe.called()));
  for (const name of [readFailAt(options.failAt)?.step, options.crashAfter])
    if (name !== undefined && !called.has(name)) throw notCalled(name, probes, "");
  const mocked = Object.keys(options.mockStep ?? {});
  const executed = [...called].filter((name) => !mocked.includes(name));
  for (const name of mocked) {
    const hint = called.has(name) ? "" : didYouMean(name, executed);
    if (hint !== "") throw notCalled(name, probes, `, which mockStep names.${hint}`);
  }
}

/** Throws an Error if a completed run did not call a step whose result the test has stored. */
export function requireStored(stored: TestRunOptions["stored"], run: Pick<TestRun, "target" | "steps">): void {
  const called = run.steps.map(({ name }) => name);
  for (const name of Object.keys(stored ?? {}))
    if (!called.includes(name))
      throw notCalled(
        name,
        [{ target: `${run.target.kind} ${run.target.slug}`, called: () => called }],
        `, which \`stored\` names.${didYouMean(name, called)}`,
      );
}

function notCalled(name: string, probes: readonly Pick<StepProbe, "target" | "called">[], why: string): Error {
  const runs = [...new Set(probes.map(({ target }) => target))].join(" and ");
  const called = [...new Set(probes.flatMap((probe) => probe.called()))];
  const others = called.length > 0 ? `It called ${listSteps(called)}.` : "It called no step.";
  return new Error(`The run of ${runs} called no step ${JSON.stringify(name)}${why || "."} ${others}`);
}

/** The results that a test has stored, as steps that have completed. */
export function toStoredSteps(stored: TestRunOptions["stored"], now: number): StepRecord[] {
  return Object.entries(stored ?? {}).map(([name, result]) => ({
    name,
    kind: "step",
    attempt: 1,
    startedAt: now,
    finishedAt: now,
    until: null,
    result: toJson(result, `The stored result of ${name}`),
    sequence: null,
  }));
}

function readFailAt(failAt: string | FailAt | undefined): Required<FailAt> | null {
  if (failAt === undefined) return null;
  const given = typeof failAt === "string" ? { step: failAt } : failAt;
  if (given.times !== undefined && !(given.times >= 1))
    throw new TypeError(`failAt: times must be at least 1, but is ${given.times}. Leave failAt out to fail no try.`);
  return { times: 1, error: new Error(`The test failed the step ${given.step}.`), ...given };
}

function withContext(workflow: LoadedWorkflow, wrap: (ctx: WorkflowContext) => WorkflowContext): LoadedWorkflow {
  return { ...workflow, run: (input, ctx) => workflow.run(input, wrap(ctx as WorkflowContext)) };
}

/** The tools of an agent are replaced and failed by their names. */
function withTools(
  agent: LoadedAgent,
  substitute: (name: string, fn: StepFunction) => StepFunction,
  note: (name: string) => void,
): LoadedAgent {
  const tools = [...agent.tools].map(([name, tool]): [string, typeof tool] => {
    const execute = substitute(name, tool.execute as StepFunction);
    return [
      name,
      {
        ...tool,
        execute(...args) {
          note(name);
          return execute(...(args as unknown as never[]));
        },
      },
    ];
  });
  return { ...agent, tools: new Map(tools) };
}

function notDeterministic(target: string, what: string): Error {
  return new Error(
    `The code of ${target} is not deterministic. ${what} Values that differ each time, such as the time and random numbers, belong in a step, which stores its result.`,
  );
}

const listSteps = (names: readonly string[]) => names.map((name) => JSON.stringify(name)).join(", ");
