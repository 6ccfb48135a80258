import { stat } from "node:fs/promises";
import type { StoreNumbers } from "../../ports/store/store-numbers.ts";

export async function readFileBytes(file: string): Promise<StoreNumbers["fileBytes"]> {
  const [database, log] = await Promise.all([sizeOf(file), sizeOf(`${file}-wal`)]);
  return { database, log };
}

function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
