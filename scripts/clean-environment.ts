const removed = /^(SIGNALBOX_|AUDIT_|OTEL_|OPENAI_|VITEST|(MODEL|PORT|HOST|NODE_ENV|NODE_OPTIONS)$)/;

/** The environment of this process, without the variables that would configure a service. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !removed.test(name)));
}
