import { spawnSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";

/** The folder of the programs of a Postgres server (`initdb`, `postgres`), version 15 or later; installed by apt-get when there is none. Throws when it cannot be had. */
export function findOrInstallPostgres(): string {
  const found = findPostgres();
  if (found) return found;
  console.log("No Postgres server was found; installing one for the tests of the store.");
  // Without a cluster of its own, which Debian's package would start at once.
  const noCluster = "mkdir -p /etc/postgresql-common && [ -e /etc/postgresql-common/createcluster.conf ] || echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.conf";
  spawnSync("sh", ["-c", `${noCluster}; apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql`], { stdio: "inherit", timeout: 300_000 });
  const installed = findPostgres();
  if (installed) return installed;
  throw new Error("No Postgres for the tests of the store: install a server of version 15 or later (apt-get install postgresql).");
}

const oldest = 15;

function findPostgres(): string | null {
  const folders = globSync(["/usr/lib/postgresql/*/bin", "/opt/homebrew/opt/postgresql@*/bin", "/usr/local/opt/postgresql@*/bin"]);
  const [newest] = folders.filter((folder) => versionOf(folder) >= oldest && existsSync(`${folder}/initdb`)).sort((a, b) => versionOf(b) - versionOf(a));
  return newest ?? null;
}

function versionOf(folder: string): number {
  return Number(/(\d+)\/bin$/.exec(folder)?.[1]);
}
