/**
 * How a process asks another one for numbers: one question for all readers at a time, and the last answer if none comes
 * soon.
 */
export interface NumberExchange<Numbers> {
  read(): Promise<Numbers | null>;
  answered(numbers: Numbers): void;
}

export function createNumberExchange<Numbers>(ask: () => void, { waitMs = 500 } = {}): NumberExchange<Numbers> {
  let last: Numbers | null = null;
  let asked: PromiseWithResolvers<void> | null = null;
  return {
    async read() {
      const isFirst = asked === null;
      const question = (asked ??= Promise.withResolvers<void>());
      if (isFirst) ask();
      const timer = setTimeout(question.resolve, waitMs);
      await question.promise;
      clearTimeout(timer);
      if (asked === question) asked = null;
      return last;
    },
    answered(numbers) {
      last = numbers;
      asked?.resolve();
    },
  };
}
