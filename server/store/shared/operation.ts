/**
 * A store operation for both databases. SQLite has each result immediately, Postgres has a promise of it. So the
 * operation is a generator: `yield* resultOf(…)` takes the place of `await`, and each database has its way to run it.
 */
export type Operation<Result> = Generator<unknown, Result, unknown>;

/** The result of a query or of another call of the database. */
export function* resultOf<Result>(asked: Result | PromiseLike<Result>): Operation<Result> {
  // The code that runs the operation returns what the promise resolves to.
  return (yield asked) as Result;
}

const pauseMark = Symbol("pause");

/** Between two pauses, an operation may block the event loop. */
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
