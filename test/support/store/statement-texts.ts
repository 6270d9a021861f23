import { createRequire } from 'node:module';
import type pg from 'pg';

const { Client, Pool } = createRequire(import.meta.url)('pg') as typeof pg;

/** Depth of stack traces, which must reach the callers of helpers that pass on statements. */
const FRAMES = 40;
/** Files that only pass on the statements of their callers. */
const FORWARDING_FILES = /^src\/platform\/(?:store\/(?:connections|reaching|transaction)|generated)/;

/**
 * Reports each statement text once per process, except statements that tests send. Stack traces are inspected only for new
 * texts, so that the tests stay fast.
 */
export function recordTexts(report: (text: string) => void): void {
  const seen = new Set<string>();
  const record = (statement: unknown) => {
    const text = typeof statement === 'string' ? statement : (statement as { text?: unknown } | undefined)?.text;
    if (typeof text !== 'string' || seen.has(text) || isFromTest()) return;
    seen.add(text);
    report(text);
  };
  for (const type of [Pool, Client]) {
    const prototype = type.prototype as unknown as { query(...args: unknown[]): unknown };
    const { query } = prototype;
    prototype.query = function (...args) {
      record(args[0]);
      return query.apply(this, args);
    };
  }
}

function isFromTest(): boolean {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES;
  const holder = { stack: '' };
  Error.captureStackTrace(holder, isFromTest);
  Error.stackTraceLimit = stackTraceLimit;
  // Statements that Prisma's client generates do not count as statements of tests.
  if (holder.stack.includes('@prisma/adapter-pg')) return false;
  const paths = [...holder.stack.matchAll(/\/((?:src|test)\/[\w/.-]+\.ts):\d+/g)].map(([, path = '']) => path);
  const nearest = paths.find(
    (path) => !FORWARDING_FILES.test(path) && !path.startsWith('test/support/store/statement-texts'),
  );
  return !nearest?.startsWith('src/');
}
