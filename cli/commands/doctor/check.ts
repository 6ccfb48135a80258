/** The result of one check, in a line, and the fix for a problem. */
export interface Check {
  name: string;
  state: "ok" | "warn" | "bad";
  message: string;
  fix: string | null;
}

export function ok(name: string, message: string): Check {
  return { name, state: "ok", message, fix: null };
}

export function warn(name: string, message: string, fix: string): Check {
  return { name, state: "warn", message, fix };
}

export function bad(name: string, message: string, fix: string): Check {
  return { name, state: "bad", message, fix };
}
