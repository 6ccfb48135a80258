/** The error of a form as a whole. */
export function RefusalLine({ message }: { message: string }) {
  return (
    <p role="alert" className="text-s text-bad">
      {message}
    </p>
  );
}
