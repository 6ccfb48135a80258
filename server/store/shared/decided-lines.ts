/** What verdicts say of triggers, a line for each: a list is narrowed by it without reading them. */
export function decidedLines(verdicts: readonly { trigger: string; outcome: string }[]): string {
  const lines = verdicts.map(({ trigger, outcome }) => decidedLine(trigger, outcome));
  return `\n${[...new Set(lines)].join("\n")}\n`;
}

export function decidedLine(trigger: string, outcome: string): string {
  return JSON.stringify([trigger, outcome]);
}
