"use client";

import { type ReactNode, type SubmitEvent, useId } from "react";
import { Button } from "../ui/controls/button.tsx";
import { CopyButton } from "../ui/controls/copy-button.tsx";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { ErrorNote } from "../ui/states.tsx";

/** A secret or link that is shown only once. */
export function SecretDialog({
  title,
  note,
  secret,
  onClose,
}: {
  title: string;
  note: string;
  secret: string;
  onClose: () => void;
}) {
  return (
    <Dialog title={title} isOpen onClose={onClose} footer={<Button onClick={onClose}>Done</Button>}>
      <p className="text-ink-2">{note}</p>
      <div className="mt-3 flex items-center gap-2 rounded-m border bg-sunken py-1.5 pr-1.5 pl-3">
        <code data-testid="secret" className="min-w-0 flex-1 text-s wrap-anywhere">
          {secret}
        </code>
        <CopyButton text={secret} label="Copy" />
      </div>
    </Dialog>
  );
}

/** Creates a secret or link, then shows it. */
export function CreateDialog({
  title,
  action,
  failure,
  creation: { isPending, error },
  created,
  onCreate,
  onClose,
  children,
}: {
  title: string;
  /** The label of the button. */
  action: string;
  /** The title of an error. */
  failure: string;
  creation: { isPending: boolean; error: unknown };
  /** `null`: not created yet. */
  created: { title: string; note: string; secret: string } | null;
  onCreate: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const formId = useId();
  if (created) return <SecretDialog {...created} onClose={onClose} />;
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    onCreate();
  };
  const footer = (
    <>
      <Button onClick={onClose}>Go back</Button>
      <Button type="submit" form={formId} tone="primary" disabled={isPending} aria-busy={isPending}>
        {action}
      </Button>
    </>
  );
  return (
    <Dialog title={title} isOpen onClose={onClose} footer={footer}>
      <form id={formId} onSubmit={submit} className="grid gap-4">
        {children}
        {error ? <ErrorNote error={error} title={failure} /> : null}
      </form>
    </Dialog>
  );
}
