/** Another product that does the same work: takes a webhook, answers, executes something small. */
export interface Peer {
  /** With its version. */
  name: string;
  url: string;
  expectedStatus: number;
  durability: string;
  /** The number of executions so far. `null`: it cannot be distinguished from the responses. */
  countExecuted: (() => Promise<number>) | null;
  close(): Promise<void>;
}
