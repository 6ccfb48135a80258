/**
 * Requests numbers from another process. Concurrent readers share one request. If no answer comes in time, the last one
 * is used.
 */
export interface NumberExchange<Numbers> {
  read(): Promise<Numbers | null>;
  handleAnswer(numbers: Numbers): void;
}

export function createNumberExchange<Numbers>(sendRequest: () => void, { waitMs = 500 } = {}): NumberExchange<Numbers> {
  let last: Numbers | null = null;
  let pending: PromiseWithResolvers<void> | null = null;
  return {
    async read() {
      const isFirst = pending === null;
      const request = (pending ??= Promise.withResolvers<void>());
      if (isFirst) sendRequest();
      const timer = setTimeout(request.resolve, waitMs);
      await request.promise;
      clearTimeout(timer);
      if (pending === request) pending = null;
      return last;
    },
    handleAnswer(numbers) {
      last = numbers;
      pending?.resolve();
    },
  };
}
