/**
 * Asks once for each key in one turn of the event loop, and gives everybody in that turn the same answer. Nothing is
 * remembered for longer: the very next turn asks again, so what changed meanwhile counts. A failure is shared, too.
 */
export function oncePerTurn<T>(ask: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const asked = new Map<string, Promise<T>>();
  return (key) => {
    const known = asked.get(key);
    if (known) return known;
    if (asked.size === 0) setImmediate(() => asked.clear());
    const answer = ask(key);
    asked.set(key, answer);
    return answer;
  };
}
