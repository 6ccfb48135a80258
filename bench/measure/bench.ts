import type { LoadClient } from "../load/start-client.ts";
import type { PeerName } from "../peers/install-peer.ts";
import type { Service } from "../service/signalbox-service.ts";

/** The parts with which every row is measured. */
export interface Bench {
  client: LoadClient;
  /** Duration of one side in one round. */
  turnMs: number;
  /** Rounds that count; one more warms up. */
  rounds: number;
  /** Runs that wait when workers are measured. */
  backlog: number;
  /** A folder with the project of the bench and its packages, which the caller removes. */
  makeProject(p: { workers: number }): string;
  /** The folder in which a peer is installed. Throws if npm fails. `null`: peers were not requested. */
  peers: ((name: PeerName) => string) | null;
  /** A note for readers of the table. */
  note(text: string): void;
  /** Options for the service's processes, if they are profiled. */
  nodeOptions: string | undefined;
  /** If a profile was requested: runs only the load of the row under it, and nothing to compare it with. */
  profile: ((service: Service, turn: () => Promise<unknown>) => Promise<void>) | null;
}
