/**
 * The environment of a process that several runs share: a change by the code of a run is visible to that execution of
 * the run only, including the child processes that it starts, and is gone when the execution ends. `currentScope`
 * returns an object for each execution; `null`: the caller belongs to no run, and changes the environment itself.
 */
export function createRunEnvironment(shared: NodeJS.ProcessEnv, currentScope: () => object | null): NodeJS.ProcessEnv {
  /** `null`: removed. */
  const changes = new WeakMap<object, Map<PropertyKey, string | null>>();

  function ofRun(): ReadonlyMap<PropertyKey, string | null> | null {
    const scope = currentScope();
    return scope && (changes.get(scope) ?? null);
  }

  /** Returns `false` if the caller belongs to no run. */
  function change(key: PropertyKey, value: string | null): boolean {
    const scope = currentScope();
    if (!scope) return false;
    const own = changes.get(scope) ?? new Map<PropertyKey, string | null>();
    changes.set(scope, own.set(key, value));
    return true;
  }

  return new Proxy(shared, {
    get(target, key) {
      const value = ofRun()?.get(key);
      return value === undefined ? Reflect.get(target, key) : (value ?? undefined);
    },
    has(target, key) {
      const value = ofRun()?.get(key);
      return value === undefined ? Reflect.has(target, key) : value !== null;
    },
    set(target, key, value) {
      // As the environment does: every value is a string. A symbol throws a TypeError.
      return change(key, `${value}`) || Reflect.set(target, key, value);
    },
    defineProperty(target, key, descriptor) {
      return change(key, `${descriptor.value}`) || Reflect.defineProperty(target, key, descriptor);
    },
    deleteProperty(target, key) {
      return change(key, null) || Reflect.deleteProperty(target, key);
    },
    ownKeys(target) {
      const keys = new Set(Reflect.ownKeys(target));
      for (const [key, value] of ofRun() ?? [])
        if (value === null) keys.delete(String(key));
        else keys.add(String(key));
      return [...keys];
    },
    getOwnPropertyDescriptor(target, key) {
      const value = ofRun()?.get(key);
      if (value === undefined) return Reflect.getOwnPropertyDescriptor(target, key);
      return value === null ? undefined : { value, writable: true, enumerable: true, configurable: true };
    },
  });
}
