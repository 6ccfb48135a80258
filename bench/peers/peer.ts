/** Another product that does the same work: takes a webhook, answers, executes something small. */
export interface Peer {
  /** With its version. */
  name: string;
  url: string;
  expectedStatus: number;
  durability: string;
  /** How many were executed so far; null if that is not distinguishable from the response. */
  countExecuted: (() => Promise<number>) | null;
  close(): Promise<void>;
}
