/**
 * Returns stored results in the order in which they first resolved. Concurrent calls (`Promise.race` of a step and a
 * sleep) must resolve in the same order when the code runs again. So they are collected for one turn of the event loop
 * and then resolved one by one.
 */
export function createOrderedResults(): { give<T>(result: T, finishedAt: number): Promise<T> } {
  const waiting: { finishedAt: number; resolve: () => void }[] = [];
  let isPlanned = false;

  function giveNext(): void {
    waiting.sort((a, b) => a.finishedAt - b.finishedAt);
    const next = waiting.shift();
    isPlanned = waiting.length > 0;
    if (isPlanned) setImmediate(giveNext);
    next?.resolve();
  }

  return {
    give: (result, finishedAt) =>
      new Promise((resolve) => {
        waiting.push({ finishedAt, resolve: () => resolve(result) });
        if (isPlanned) return;
        isPlanned = true;
        setImmediate(giveNext);
      }),
  };
}
