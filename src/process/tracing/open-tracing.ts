import type { Logger } from 'pino';
import type { Config } from '../settings/config.js';
import type { Tracing } from './tracing.js';

/**
 * Begins to trace where the settings say so. OpenTelemetry is loaded then and not before: a server that traces nothing
 * takes no time and no memory for it.
 * @returns null where nothing is traced
 */
export async function openTracing(config: Config, log: Logger): Promise<Tracing | null> {
  if (config.tracing === null) return null;
  const { startTracing } = await import('./sdk.js');
  return startTracing(config.tracing, log);
}
