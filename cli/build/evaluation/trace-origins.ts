/**
 * Records where each Zod schema and check was created, so that a diagnostic can point at the call. Zod 4 sets `_zod` of
 * every schema and check with Object.defineProperty, and Zod 3 binds the methods of every schema. Both are intercepted
 * here, only in the short-lived process that evaluates the project. If a version of Zod works differently, origins are
 * `null`, and diagnostics point at the definition instead.
 */
export function traceOrigins(): void {
  const define = Object.defineProperty;
  Object.defineProperty = <T>(target: T, key: PropertyKey, descriptor: PropertyDescriptor & ThisType<unknown>): T => {
    const defined = define(target, key, descriptor);
    if (key === "_zod") remember(target);
    return defined;
  };
  const { bind } = Function.prototype;
  define(Function.prototype, "bind", {
    ...Object.getOwnPropertyDescriptor(Function.prototype, "bind"),
    value(this: (...args: unknown[]) => unknown, self: unknown, ...args: unknown[]) {
      if (isZod3(self)) remember(self);
      return Reflect.apply(bind, this, [self, ...args]);
    },
  });
}

/** The stack of the call that created a schema or check; `null`: unknown. */
export function originStack(made: object | null): string | null {
  if (!made) return null;
  return origins.get(oldestOf(made))?.stack ?? null;
}

const origins = new WeakMap<object, Error>();
/** Zod's own frames are between the user's call and the interception. */
const deepest = 40;

function remember(made: unknown): void {
  if (typeof made !== "object" || made === null || origins.has(made)) return;
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = deepest;
  const origin = new Error("made here");
  Error.stackTraceLimit = limit;
  origins.set(made, origin);
  for (const check of checksOf(made))
    if (typeof check === "object" && check !== null && !origins.has(check)) origins.set(check, origin);
}

/**
 * Checks without a Zod object, as in Zod 3 and in `.check(fn)`, were created together with the first schema that has
 * them.
 */
function checksOf(made: object): readonly unknown[] {
  const internals: unknown = "_zod" in made ? made._zod : null;
  const def: unknown = isZod3(made)
    ? made._def
    : typeof internals === "object" && internals !== null && "def" in internals
      ? internals.def
      : null;
  return typeof def === "object" && def !== null && "checks" in def && Array.isArray(def.checks) ? def.checks : [];
}

/** `z.date().min(x)` is a copy of `z.date()`. The fault is at the creation of the original. */
function oldestOf(made: object): object {
  let oldest = made;
  for (;;) {
    const parent: unknown =
      "_zod" in oldest && typeof oldest._zod === "object" && oldest._zod !== null && "parent" in oldest._zod
        ? oldest._zod.parent
        : null;
    if (typeof parent !== "object" || parent === null || !origins.has(parent)) return oldest;
    oldest = parent;
  }
}

function isZod3(value: unknown): value is { _def: { checks?: unknown } } {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, "_def")) return false;
  const def: unknown = Reflect.get(value, "_def");
  return typeof def === "object" && def !== null && "typeName" in def;
}
