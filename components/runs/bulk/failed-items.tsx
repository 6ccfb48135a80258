import { formatNumber } from "../../../server/shared/format.ts";
import { ShortId } from "../../ui/controls/copy-button.tsx";

const maxListed = 200;

interface Props {
  /** For screen readers. */
  label: string;
  items: readonly { id: string; message: string }[];
  hrefOf: (id: string) => string;
}

/** What a bulk action could not change, with the reasons. Of very many, only the first are shown. */
export function FailedItems({ label, items, hrefOf }: Props) {
  if (items.length === 0) return null;
  return (
    <ul aria-label={label} tabIndex={0} className="mt-3 max-h-60 overflow-auto rounded-m border">
      {items.slice(0, maxListed).map(({ id, message }) => (
        <li key={id} className="flex flex-wrap gap-x-3 border-b px-3 py-2 last:border-0">
          <ShortId id={id} href={hrefOf(id)} />
          <span className="min-w-0 break-words text-ink-2">{message}</span>
        </li>
      ))}
      {items.length > maxListed && (
        <li className="px-3 py-2 text-ink-3">and {formatNumber(items.length - maxListed)} more</li>
      )}
    </ul>
  );
}
