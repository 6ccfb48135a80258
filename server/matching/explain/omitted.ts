/** On an issue: how many of its list were left out behind it. */
export const omittedKey = "signalbox:omitted";

export interface Omitted {
  issues: number;
  /** Of these, how many speak of a value that is not one of the fixed. */
  fixedValues: number;
}

type Issue = Readonly<Record<string, unknown>>;

/** The omitted issues after these. */
export function omittedOf(issues: readonly Issue[]): Omitted {
  const sum = { issues: 0, fixedValues: 0 };
  for (const issue of issues) addOmitted(sum, issue);
  return sum;
}

/** Counts an omitted issue, and the issues that it represents. */
export function countOmitted(sum: Omitted, issue: Issue): void {
  sum.issues += 1;
  if (isFixedValue(issue)) sum.fixedValues += 1;
  addOmitted(sum, issue);
}

/** Whether a value is not one of the fixed: these usually say which alternative is meant. */
export function isFixedValue({ code }: Issue): boolean {
  return fixedValueCodes.has(code);
}

const fixedValueCodes = new Set<unknown>([
  "invalid_value",
  "invalid_literal",
  "invalid_enum_value",
  "invalid_union_discriminator",
]);

function addOmitted(sum: Omitted, issue: Issue): void {
  const omitted = issue[omittedKey];
  if (!isOmitted(omitted)) return;
  sum.issues += omitted.issues;
  sum.fixedValues += omitted.fixedValues;
}

function isOmitted(value: unknown): value is Omitted {
  return typeof value === "object" && value !== null && "issues" in value && "fixedValues" in value;
}
