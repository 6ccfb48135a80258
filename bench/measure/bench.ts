import type { LoadClient } from "../load/start-client.ts";
import type { PeerName } from "../peers/install-peer.ts";
import type { Service } from "../service/signalbox-service.ts";

/** What every row is measured with. */
export interface Bench {
  client: LoadClient;
  /** Of one side in one round. */
  turnMs: number;
  /** Rounds that count; one more warms up. */
  rounds: number;
  /** Runs that wait when workers are measured. */
  backlog: number;
  /** A folder with the project of the bench and its packages, which the caller removes. */
  makeProject(p: { workers: number }): string;
  /** The folder in which a peer is installed. Throws where npm cannot. Null: peers were not asked for. */
  peers: ((name: PeerName) => string) | null;
  /** A note for readers of the table. */
  note(text: string): void;
  /** For the service's processes, where they are to be profiled. */
  nodeOptions: string | undefined;
  /** Where a profile was asked for: runs the row's own load under it, and nothing that it would be compared with. */
  profile: ((service: Service, turn: () => Promise<unknown>) => Promise<void>) | null;
}
