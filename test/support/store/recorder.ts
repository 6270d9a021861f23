import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import type pg from 'pg';
import { PrismaClient } from '../../../src/platform/generated/prisma/client.js';

/** An SQL statement of a source file, with one set of values. */
export interface RecordedStatement {
  path: string;
  text: string;
  /** As sent to PostgreSQL. */
  values: (string | null)[];
}

/** Sets of values kept per statement, because a list may have one element or many. */
const SAMPLES = 5;
/** Depth of stack traces, which must reach the callers of helpers that pass on statements. */
const FRAMES = 40;

const require = createRequire(import.meta.url);
const { Client, Pool } = require('pg') as typeof pg;
const { prepareValue } = require('pg/lib/utils') as { prepareValue(value: unknown): unknown };

/** The source file that called Prisma's client, which sends its statements later. */
const currentSource = new AsyncLocalStorage<string>();

/** Files that only pass on the statements of their callers, including the recorder. */
const FORWARDING_FILES =
  /^(src\/platform\/(store\/(connections|reaching|transaction)|generated)|test\/support\/store\/recorder)/;

/** Finds the nearest source file in a stack trace, or null if a test is nearer. */
function pathIn(trace: string | undefined): string | null {
  const paths = [...(trace ?? '').matchAll(/\/((?:src|test)\/[\w/.-]+\.ts):\d+/g)].map(([, path]) => path as string);
  const nearest = paths.find((path) => !FORWARDING_FILES.test(path));
  return nearest?.startsWith('src/') ? nearest : null;
}

function findCallerPath(): string | null {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES;
  const holder = { stack: '' };
  Error.captureStackTrace(holder);
  Error.stackTraceLimit = stackTraceLimit;
  return pathIn(holder.stack);
}

/** Source files of statements that wait for a connection. */
const sourceByStatement = new WeakMap<object, string>();

type Method = (this: unknown, ...args: unknown[]) => unknown;

function patchMethod(object: object, name: string, wrap: (original: Method) => Method): () => void {
  const holder = object as Record<string, Method>;
  const original = holder[name] as Method;
  holder[name] = wrap(original);
  return () => {
    holder[name] = original;
  };
}

function wireValue(value: unknown): string | null {
  const prepared = prepareValue(value);
  if (prepared === null || prepared === undefined) return null;
  return Buffer.isBuffer(prepared) ? `\\x${prepared.toString('hex')}` : String(prepared);
}

/**
 * Records the statements that source files, but not tests, send through pg or Prisma. Returns a function that stops recording.
 */
export function recordStatements(onStatement: (statement: RecordedStatement) => void): () => void {
  const seen = new Map<string, Set<string>>();
  const record = (path: string, args: unknown[]) => {
    const [first, second] = args;
    const { text, values } = (typeof first === 'string' ? { text: first, values: second } : first) as {
      text?: string;
      values?: unknown;
    };
    if (text === undefined) return;
    const key = `${path} ${text}`;
    const samples = seen.get(key) ?? new Set();
    seen.set(key, samples);
    if (samples.size >= SAMPLES) return;
    const statement = { path, text, values: Array.isArray(values) ? values.map(wireValue) : [] };
    const sample = JSON.stringify(statement.values);
    if (samples.has(sample)) return;
    samples.add(sample);
    onStatement(statement);
  };
  const restores = [
    // A pool may send a statement later, in the call stack that releases a connection.
    patchMethod(
      Pool.prototype,
      'query',
      (original) =>
        function (first, second, ...otherArgs) {
          const isText = typeof first === 'string';
          const statement = (isText ? { text: first } : first) as object;
          if (isText && Array.isArray(second)) Object.assign(statement, { values: second });
          const path = findCallerPath() ?? currentSource.getStore();
          if (path) sourceByStatement.set(statement, path);
          return original.apply(this, [
            statement,
            ...(isText && Array.isArray(second) ? otherArgs : [second, ...otherArgs]),
          ]);
        },
    ),
    patchMethod(
      Client.prototype,
      'query',
      (original) =>
        function (...args) {
          const path = sourceByStatement.get(args[0] as object) ?? findCallerPath() ?? currentSource.getStore();
          if (path) record(path, args);
          return original.apply(this, args);
        },
    ),
    // Prisma's client sends statements only when a promise is awaited, so the source is recorded when the promise is created.
    patchMethod(
      PrismaClient.prototype,
      '_request',
      (original) =>
        function (...args) {
          const { callsite } = args[0] as { callsite?: object };
          const path = pathIn(Object.values(callsite ?? {}).find((value) => value instanceof Error)?.stack);
          return path === null ? original.apply(this, args) : currentSource.run(path, () => original.apply(this, args));
        },
    ),
  ];
  return () => {
    for (const restore of restores.reverse()) restore();
  };
}
