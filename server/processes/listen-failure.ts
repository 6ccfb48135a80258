/** Returns an error that says how to fix the settings, if they are the reason why a server cannot listen. */
export function describeListenFailure(error: unknown, p: { host: string; port: number; option: string }): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE")
    return new Error(
      `Port ${p.port} is in use. Stop the program that uses it, or choose another port with ${p.option}.`,
      { cause: error },
    );
  if (code === "EACCES")
    return new Error(`This user is not permitted to listen on the port. Choose a port above 1023 with ${p.option}.`, {
      cause: error,
    });
  if (code !== undefined && notOwn.has(code))
    return new Error(
      `The service cannot listen on ${p.host}: it is no address of this machine (${code}). Correct SIGNALBOX_HOST, or host in signalbox.config.ts: 0.0.0.0 is every address, and 127.0.0.1 only this machine.`,
      { cause: error },
    );
  return error;
}

/** The address belongs to another machine, or the host name has no address. */
const notOwn: ReadonlySet<string> = new Set(["EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN", "EINVAL"]);
