import type { Logger } from 'pino';
import type { Config } from '../settings/config.js';
import type { Tracing } from './tracing.js';

/** Loads OpenTelemetry only if tracing is on, because it costs startup time and memory. */
export async function openTracing(config: Config, log: Logger): Promise<Tracing | null> {
  if (config.tracing === null) return null;
  const { startTracing } = await import('./sdk.js');
  return startTracing(config.tracing, log);
}
