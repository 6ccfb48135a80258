/**
 * A store operation for both databases. SQLite returns each result immediately, Postgres a promise of it. So the
 * operation is a generator with `yield* resultOf(…)` instead of `await`, and each database runs it differently.
 */
export type Operation<Result> = Generator<unknown, Result, unknown>;

/** The result of a query or of another database call. */
export function* resultOf<Result>(pending: Result | PromiseLike<Result>): Operation<Result> {
  // The caller passes in the resolved result.
  return (yield pending) as Result;
}

const pauseMark = Symbol("pause");

/** Yields to the event loop. An operation can block the event loop between two pauses. */
export function* pause(): Operation<void> {
  yield pauseMark;
}

/** Runs an operation on SQLite. */
export function runSync<Result>(operation: Operation<Result>): Result {
  let step = operation.next();
  while (!step.done) step = operation.next(step.value);
  return step.value;
}

/** Runs a long operation on SQLite in slices: `runSlice` runs the part before the next pause. */
export async function runInSlices<Result>(
  operation: Operation<Result>,
  runSlice: (slice: () => IteratorResult<unknown, Result>) => Promise<IteratorResult<unknown, Result>>,
): Promise<Result> {
  const slice = () => {
    let step = operation.next();
    while (!step.done && step.value !== pauseMark) step = operation.next(step.value);
    return step;
  };
  for (;;) {
    const step = await runSlice(slice);
    if (step.done) return step.value;
  }
}

/** Runs an operation on Postgres. */
export async function runAsync<Result>(operation: Operation<Result>): Promise<Result> {
  let step = operation.next();
  while (!step.done) step = operation.next(await step.value);
  return step.value;
}
