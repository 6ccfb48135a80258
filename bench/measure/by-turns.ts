/**
 * Measures all sides once a round, one after the other, so that other work of the machine affects them equally. The
 * first
 * round warms up and does not count.
 */
export async function byTurns<Side extends string, T>(
  sides: Record<Side, () => Promise<T>>,
  rounds: number,
): Promise<Record<Side, T[]>> {
  const names = Object.keys(sides) as Side[];
  const values = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<Side, T[]>;
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const value = await sides[name]();
      if (round > 0) values[name].push(value);
    }
  }
  return values;
}
