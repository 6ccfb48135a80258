declare const sentence: unique symbol;

/**
 * Nothing is ever of this type. It stands where a value would have to be another one, so that the compiler's message
 * ends with a sentence for people: `Type '…' is not assignable to type 'Mistake<"…: add transform">'`.
 */
export interface Mistake<Sentence extends string> {
  readonly [sentence]: Sentence;
}
