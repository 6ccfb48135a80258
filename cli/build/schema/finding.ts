/**
 * Why a schema cannot contain something. `code` needs code, and `not-json` has no JSON form. `other-version` is of
 * another version of Zod than the schema around it. `unreadable` throws an error.
 */
export type FindingKind = "code" | "not-json" | "default" | "not-zod" | "other-version" | "unreadable";

/** Something in a schema that cannot be exported. */
export interface Finding {
  kind: FindingKind;
  /** As a user writes it: `.transform()`, `z.date()`. In words if it is no method. */
  method: string;
  /** The schema or check that the call at fault created. */
  origin: object | null;
  /** The schema that has the check. */
  owner?: object;
}

/** A regular expression that the user wrote, to be checked for runaway matching. */
export interface UserRegex {
  source: string;
  flags: string;
  origin: object;
}

/** A default, read twice: during the walk, and shortly afterwards. */
export interface DefaultValue {
  /** How it is written: `default` or `prefault`. */
  method: string;
  read(): unknown;
  origin: object;
}

/** The report of one node of a schema, with its child nodes. */
export interface NodeReport {
  findings: Finding[];
  regexes: UserRegex[];
  defaults: DefaultValue[];
  /** `step`: the next part of the path; `null` for wrappers such as optional. A value that is not a schema is a finding. */
  children: { step: string | null; schema: unknown }[];
}

export function emptyReport(): NodeReport {
  return { findings: [], regexes: [], defaults: [], children: [] };
}
