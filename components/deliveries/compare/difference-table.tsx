import { formatCount } from "../../../server/domain/format.ts";
import { PlainText } from "../../json/plain-text.tsx";
import { Cell, Row, Table } from "../../ui/table.tsx";

export interface DifferenceRow {
  name: string;
  kind: "added" | "removed" | "changed" | "written";
  before: string | null;
  after: string | null;
}

const words: Record<DifferenceRow["kind"], string> = {
  added: "only in the other",
  removed: "only in this",
  changed: "changed",
  written: "other notation",
};

/** Differences of one kind, side by side. `same` is shown when there are none, `more` when the list is cut. */
export function DifferenceTable({
  title,
  same,
  rows,
  more,
}: {
  title: string;
  same: string;
  rows: readonly DifferenceRow[];
  more: string | null;
}) {
  return (
    <section aria-label={`${title}, compared`} className="border-b last:border-0">
      <h3 className="flex items-center gap-3 px-4 pt-3 pb-1 text-s font-semibold">
        {title}
        <span className="font-normal text-ink-3">{rows.length > 0 && formatCount(rows.length, "difference")}</span>
      </h3>
      {rows.length === 0 ? (
        <p className="px-4 pb-3 text-ink-2">{same}</p>
      ) : (
        <Table label={`${title}, compared`} columns={["Where", "Difference", "This", "Other"]}>
          {rows.map((row) => (
            <Row key={row.name}>
              <Cell name="Where">
                <code className="block [overflow-wrap:anywhere] xl:min-w-44">
                  <PlainText text={row.name} />
                </code>
              </Cell>
              <Cell name="Difference">
                <span className="whitespace-nowrap text-ink-2">{words[row.kind]}</span>
              </Cell>
              <Cell name="This">
                <Value text={row.before} tone="bg-bad-soft" />
              </Cell>
              <Cell name="Other">
                <Value text={row.after} tone="bg-ok-soft" />
              </Cell>
            </Row>
          ))}
        </Table>
      )}
      {more && <p className="px-4 pb-3 text-ink-3">{more}</p>}
    </section>
  );
}

function Value({ text, tone }: { text: string | null; tone: string }) {
  if (text === null) return <span className="text-ink-3">–</span>;
  return (
    <span className="block xl:min-w-44">
      <code className={`rounded-s box-decoration-clone px-1 [overflow-wrap:anywhere] whitespace-pre-wrap ${tone}`}>
        <PlainText text={text} />
      </code>
    </span>
  );
}
