import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { quietLogging } from '../../src/platform/log/quiet-logging.js';
import { ToldExporter } from '../../src/process/tracing/told-exporter.js';

const REFUSED = { code: 1, error: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) };
const TAKEN = { code: 0 };

it('tells once that spans are lost and how many were, counts those that nobody answered for, and fails towards nobody', () => {
  const lines: string[] = [];
  const log = pino({ ...quietLogging(), base: null }, { write: (line: string) => void lines.push(line) });
  const said = () => lines.splice(0).map((line) => JSON.parse(line) as { msg: string; lost?: number });
  let answer: { code: number; error?: Error } | null = REFUSED;
  const inner = { export: (_: unknown, done: (result: object) => void) => answer && done(answer) };
  const exporter = new ToldExporter(inner as unknown as OTLPTraceExporter, log);
  const results: number[] = [];
  const send = (spans: number) => exporter.export(Array(spans), ({ code }) => void results.push(code));

  send(3);
  send(4);
  expect(said()).toMatchObject([{ msg: 'traces cannot be sent, and are lost until they can be' }]);
  answer = TAKEN;
  send(1);
  send(1);
  expect(said()).toMatchObject([{ msg: 'traces are sent again', lost: 7 }]);
  expect(results).toEqual([0, 0, 0, 0]);

  for (const spans of [5, 6]) exporter.overflowed(spans);
  expect(said()).toMatchObject([{ msg: 'spans were lost', lost: 5 }]);

  answer = null;
  send(2);
  exporter.close();
  expect(said()).toEqual([]);
  exporter.failed(new Error('late'));
  exporter.close();
  expect(said()).toMatchObject([{ msg: expect.stringContaining('cannot be sent') }, { lost: 2 }]);
});
