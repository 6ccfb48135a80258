/** Why something may not stand in a schema: `code` and `conversion` carry code, `not-json` has no JSON form. */
export type FindingKind = "code" | "not-json" | "default" | "not-zod";

/** Something in a schema that cannot be exported. */
export interface Finding {
  kind: FindingKind;
  /** As a user writes it: `.transform()`, `z.date()`. */
  method: string;
  /** What was made by the call that is at fault: a schema or a check. */
  origin: object | null;
  /** The schema that bears the check. */
  bearer?: object;
}

/** A regular expression that the user wrote, to be checked for runaway matching. */
export interface UserRegex {
  source: string;
  flags: string;
  origin: object;
}

/** A default, asked for its value twice: once in the walk, and again a little later. */
export interface DefaultValue {
  read(): unknown;
  origin: object;
}

/** What one node of a schema says of itself, and the nodes below it. */
export interface NodeReport {
  findings: Finding[];
  regexes: UserRegex[];
  defaults: DefaultValue[];
  /** `step`: how the path goes on; `null` for wrappers such as optional. */
  children: { step: string | null; schema: unknown }[];
}

export function emptyReport(): NodeReport {
  return { findings: [], regexes: [], defaults: [], children: [] };
}
