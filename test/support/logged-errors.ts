import { pino } from 'pino';

/** What the applications of this process logged as errors since it was last taken, one JSON text per entry. */
const entries: string[] = [];

/** The log of an application under test. It keeps errors, for a test that fails, and prints nothing unless TEST_LOG_LEVEL is set. */
export function testLog() {
  const level = process.env.TEST_LOG_LEVEL;
  if (level) return pino({ level });
  return pino({ level: 'error' }, { write: (entry: string) => void entries.push(entry) });
}

/** @returns the errors logged since the last call */
export function takeLoggedErrors(): string[] {
  return entries.splice(0);
}
