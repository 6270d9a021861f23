import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createQuietOptions } from '../../src/platform/log/quiet-logging.js';
import { LoggingExporter } from '../../src/process/tracing/logging-exporter.js';

const REFUSED = { code: 1, error: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) };
const ACCEPTED = { code: 0 };

it('LoggingExporter logs when spans are lost and how many, and reports success to the SDK', () => {
  const lines: string[] = [];
  const log = pino({ ...createQuietOptions(), base: null }, { write: (line: string) => void lines.push(line) });
  const takeLogged = () => lines.splice(0).map((line) => JSON.parse(line) as { msg: string; lost?: number });
  let response: { code: number; error?: Error } | null = REFUSED;
  const inner = { export: (_: unknown, done: (result: object) => void) => response && done(response) };
  const exporter = new LoggingExporter(inner as unknown as OTLPTraceExporter, log);
  const results: number[] = [];
  const send = (spans: number) => exporter.export(Array(spans), ({ code }) => void results.push(code));

  send(3);
  send(4);
  expect(takeLogged()).toMatchObject([{ msg: 'traces cannot be sent and are lost until sending works again' }]);
  response = ACCEPTED;
  send(1);
  send(1);
  expect(takeLogged()).toMatchObject([{ msg: 'traces are sent again', lost: 7 }]);
  expect(results).toEqual([0, 0, 0, 0]);

  for (const spans of [5, 6]) exporter.recordOverflow(spans);
  expect(takeLogged()).toMatchObject([{ msg: 'spans were lost', lost: 5 }]);

  response = null;
  send(2);
  exporter.close();
  expect(takeLogged()).toEqual([]);
  exporter.recordFailure(new Error('late'));
  exporter.close();
  expect(takeLogged()).toMatchObject([{ msg: expect.stringContaining('cannot be sent') }, { lost: 2 }]);
});
