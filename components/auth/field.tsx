import { type ComponentProps, useId } from "react";

interface Props extends ComponentProps<"input"> {
  label: string;
  hint?: string;
  error?: string | undefined;
}

/** A field of the sign-in, invitation and reset forms; larger than the fields of the app. */
export function Field({ label, hint, error, ...rest }: Props) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-s font-medium text-ink-2">
        {label}
      </label>
      <input
        required
        spellCheck={false}
        {...rest}
        id={id}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={described || undefined}
        className="h-9 w-full min-w-0 rounded-m border border-line-strong bg-raised px-3 placeholder:text-ink-3 aria-invalid:border-bad"
      />
      {hint && (
        <p id={`${id}-hint`} className="mt-1 text-s text-ink-3">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} role="alert" className="mt-1 text-s text-bad">
          {error}
        </p>
      )}
    </div>
  );
}
