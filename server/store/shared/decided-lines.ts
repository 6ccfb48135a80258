/** The trigger and outcome of each verdict, one per line. A list is filtered by these lines without parsing verdicts. */
export function decidedLines(verdicts: readonly { trigger: string; outcome: string }[]): string {
  const lines = verdicts.map(({ trigger, outcome }) => decidedLine(trigger, outcome));
  return `\n${[...new Set(lines)].join("\n")}\n`;
}

export function decidedLine(trigger: string, outcome: string): string {
  return JSON.stringify([trigger, outcome]);
}
