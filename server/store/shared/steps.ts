/**
 * What is to be done step by step, whether each answer is there at once, as with SQLite, or has to be waited for:
 * written once, as a generator, in which `yield* answerOf(…)` stands where `await` would.
 */
export type Steps<Result> = Generator<unknown, Result, unknown>;

/** The answer to a question that is asked of a database. */
export function* answerOf<Answer>(asked: Answer | Promise<Answer>): Steps<Answer> {
  // Whoever carries out the steps gives back what was asked for, or what became of it.
  return (yield asked) as Answer;
}

const pauseMark = Symbol("pause");

/** Between two pauses the steps may hold up everything else on the event loop. */
export function* pause(): Steps<void> {
  yield pauseMark;
}

/**
 * Carries out steps whose answers are all there at once, a slice at a time: `runSlice` runs what comes before the next
 * pause.
 */
export async function takeSlices<Result>(
  steps: Steps<Result>,
  runSlice: (slice: () => IteratorResult<unknown, Result>) => Promise<IteratorResult<unknown, Result>>,
): Promise<Result> {
  const slice = () => {
    let step = steps.next();
    while (!step.done && step.value !== pauseMark) step = steps.next(step.value);
    return step;
  };
  for (;;) {
    const step = await runSlice(slice);
    if (step.done) return step.value;
  }
}

export async function awaitSteps<Result>(steps: Steps<Result>): Promise<Result> {
  let step = steps.next();
  while (!step.done) step = steps.next(await step.value);
  return step.value;
}
