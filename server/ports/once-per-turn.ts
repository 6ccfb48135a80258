/**
 * Loads each key once per turn of the event loop and shares the result among all callers in that turn. Nothing is
 * cached longer: the next turn loads again, so changes take effect. A failure is shared, too.
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
