import type { ServiceNumbers } from "../domain/runs/run-tally.ts";

/**
 * How web asks its supervisor for numbers: one question for all who ask at a time, and the last answer where none comes
 * soon.
 */
export interface NumberExchange {
  read(): Promise<ServiceNumbers | null>;
  answered(numbers: ServiceNumbers): void;
}

const waitMs = 500;

export function createNumberExchange(ask: () => void): NumberExchange {
  let last: ServiceNumbers | null = null;
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
