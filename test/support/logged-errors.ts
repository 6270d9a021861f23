import { pino } from 'pino';

/** Errors logged since the last call of `takeLoggedErrors`, as JSON. */
const entries: string[] = [];

/** Creates a logger that keeps errors for the report of a failed test, or that prints if TEST_LOG_LEVEL is set. */
export function testLog() {
  const level = process.env.TEST_LOG_LEVEL;
  if (level) return pino({ level });
  return pino({ level: 'error' }, { write: (entry: string) => void entries.push(entry) });
}

export function takeLoggedErrors(): string[] {
  return entries.splice(0);
}
