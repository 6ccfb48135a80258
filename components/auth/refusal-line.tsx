/** The error of a form as a whole. */
export function ErrorLine({ message }: { message: string }) {
  return (
    <p role="alert" className="text-s text-bad">
      {message}
    </p>
  );
}
