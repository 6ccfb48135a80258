import { createHash } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import type { Verdict } from "../../contract/delivery.ts";
import { decidedLines } from "../shared/decided-lines.ts";
import type { SharedVerdicts, StoredVerdicts } from "../shared/stored-verdicts.ts";
import { aVerdict, epoch } from "./factories.ts";

const reason = { pointer: "/type", code: "invalid_value", message: "not this", expected: '"paid"' };
const stopped = [0, 1, 2].map((at) => ({
  ...aVerdict({ trigger: `stopped-${at}`, attachmentId: `stopped-${at}:x`, outcome: "filter_mismatch" }),
  reasons: [reason],
}));
const shared: SharedVerdicts = [...stopped.slice(0, 2), null, ...stopped.slice(2)];
const matched = aVerdict({ trigger: "open", attachmentId: "open:x" });
const deviating = aVerdict({ trigger: "stopped-1", attachmentId: "stopped-1:x", outcome: "request_mismatch" });

interface Given {
  /** The trigger `stopped-1` has a verdict of its own. */
  deviates?: boolean;
}

/** The verdicts of a delivery with `sharedVerdictsSql`. */
export function verdictsWithShared({ deviates = false }: Given = {}): Verdict[] {
  const all = stopped.map((verdict) => ({ ...verdict, reasons: [{ ...reason, actual: '"x"' }] }));
  return [...all.slice(0, 1), ...(deviates ? [deviating] : all.slice(1, 2)), matched, ...all.slice(2)];
}

/**
 * Statements that give a recorded delivery its verdicts and their counts as earlier versions wrote them: those that
 * many deliveries have in common are in the list `set`, which exists only once. The delivery was received at `epoch` on
 * `signup`.
 */
export function sharedVerdictsSql(
  store: "sqlite" | "postgres",
  { deliveryId, set = 1, deviates = false }: { deliveryId: string; set?: number } & Given,
): string {
  const own = deviates ? [deviating, matched] : [matched];
  const stored: StoredVerdicts = [{ set, actuals: { "/type": '"x"' }, places: deviates ? [1, 2] : [2] }, ...own];
  const counts = [
    [key("set", String(set)), 1],
    [key("matched", "open:x"), 1],
    ...(deviates
      ? [
          [key("request_mismatch", "stopped-1:x"), 1],
          [key("filter_mismatch", "stopped-1:x"), -1],
          [key("request_mismatch", "*:x"), -1],
        ]
      : [[key("filter_mismatch", "*:x"), -1]]),
  ];
  const json = JSON.stringify(shared);
  const packed = deflateRawSync(json).toString("hex");
  const bytes = store === "sqlite" ? `X'${packed}'` : `'\\x${packed}'::bytea`;
  const hash = createHash("sha256").update(`${set} ${json}`).digest("hex");
  const decided = store === "sqlite" ? "" : `, decided = ${quote(decidedLines(own))}`;
  return `
    INSERT INTO verdict_set (id, hash, decided, verdicts)
      VALUES (${set}, '${hash}', ${quote(decidedLines(stopped))}, ${bytes}) ON CONFLICT DO NOTHING;
    UPDATE delivery SET verdicts = ${quote(JSON.stringify(stored))}, verdict_set = ${set}${decided} WHERE id = '${deliveryId}';
    INSERT INTO traffic_log (counts) VALUES (${quote(JSON.stringify(counts))})`;
}

const key = (outcome: string, attachmentId: string) => `${epoch} ${outcome} ${attachmentId} signup`;

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
