import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";

/** What of `process` is isolated. */
type Environment = Pick<NodeJS.Process, "env" | "loadEnvFile">;

/**
 * Isolates `process.env` of executions that share a process. A change by an execution is visible to that execution
 * only, including the child processes that it starts, and is gone when it ends. `currentExecution` returns an object
 * for each execution. `null`: the caller belongs to none, and its changes are visible to all.
 */
export function isolateEnvironment(owner: Environment, currentExecution: () => object | null): void {
  let shared = createEnvironment(owner.env, currentExecution);
  /** What executions assigned to `process.env` itself. */
  const assigned = new WeakMap<object, NodeJS.ProcessEnv>();

  Object.defineProperty(owner, "env", {
    configurable: true,
    enumerable: true,
    get() {
      const execution = currentExecution();
      return (execution && assigned.get(execution)) ?? shared;
    },
    set(env: NodeJS.ProcessEnv) {
      const execution = currentExecution();
      if (execution) assigned.set(execution, env);
      else if (env !== shared) shared = createEnvironment(env, currentExecution);
    },
  });
  // Node's own writes to the environment of the process directly.
  owner.loadEnvFile = (path = "./.env") => {
    const { env } = owner;
    for (const [name, value] of Object.entries(parseEnv(readFileSync(path, "utf8")))) env[name] ??= value;
  };
}

function createEnvironment(shared: NodeJS.ProcessEnv, currentExecution: () => object | null): NodeJS.ProcessEnv {
  /** `null`: removed. */
  const changes = new WeakMap<object, Map<string, string | null>>();

  function ownChanges(): ReadonlyMap<string, string | null> | null {
    const execution = currentExecution();
    return execution && (changes.get(execution) ?? null);
  }

  function findChange(key: string | symbol): string | null | undefined {
    return typeof key === "symbol" ? undefined : ownChanges()?.get(key);
  }

  /** Returns `false` if the caller belongs to no execution. The environment itself rejects a symbol as a name. */
  function change(key: string | symbol, value: string | null): boolean {
    const execution = currentExecution();
    if (!execution || typeof key === "symbol") return false;
    const own = changes.get(execution) ?? new Map<string, string | null>();
    changes.set(execution, own.set(key, value));
    return true;
  }

  return new Proxy(shared, {
    get(target, key) {
      const value = findChange(key);
      return value === undefined ? Reflect.get(target, key) : (value ?? undefined);
    },
    has(target, key) {
      const value = findChange(key);
      return value === undefined ? Reflect.has(target, key) : value !== null;
    },
    set(target, key, value) {
      // As the environment does: every value is a string. A symbol throws a TypeError.
      return change(key, `${value}`) || Reflect.set(target, key, value);
    },
    defineProperty(target, key, descriptor) {
      return (
        ("value" in descriptor && change(key, `${descriptor.value}`)) || Reflect.defineProperty(target, key, descriptor)
      );
    },
    deleteProperty(target, key) {
      return change(key, null) || Reflect.deleteProperty(target, key);
    },
    ownKeys(target) {
      const keys = new Set(Reflect.ownKeys(target));
      for (const [key, value] of ownChanges() ?? [])
        if (value === null) keys.delete(key);
        else keys.add(key);
      return [...keys];
    },
    getOwnPropertyDescriptor(target, key) {
      const value = findChange(key);
      if (value === undefined) return Reflect.getOwnPropertyDescriptor(target, key);
      return value === null ? undefined : { value, writable: true, enumerable: true, configurable: true };
    },
  });
}
