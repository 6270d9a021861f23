import type { Logger } from 'pino';
import type { Config } from '../settings/config.js';
import type { Tracing } from './tracing.js';

/**
 * Starts tracing if the settings enable it. OpenTelemetry is loaded only then, because it costs start time and memory.
 * @returns null when tracing is off
 */
export async function openTracing(config: Config, log: Logger): Promise<Tracing | null> {
  if (config.tracing === null) return null;
  const { startTracing } = await import('./sdk.js');
  return startTracing(config.tracing, log);
}
