import type { Reading } from '../../platform/metrics/reading.js';
import type { Siblings } from '../../surfaces/http/health.js';
import type { Config } from '../settings/config.js';
import type { StoreWay } from '../startup/open-store.js';

/** One of the processes of a start. */
export interface Member {
  /** From 1. */
  number: number;
  /** How many there are. */
  of: number;
  role: 'api' | 'worker';
  listens: boolean;
  /** The one that tells the operator what concerns the start, such as that there is no account. */
  isFirst: boolean;
}

/** Settings that the first process decides for all, and which a restart one by one does not read anew. */
export type DecidedSettings = Pick<
  Config,
  'host' | 'port' | 'dataDir' | 'databasePoolSize' | 'shutdownTimeoutMs' | 'metricsPort'
> & { databaseUrl: string | null; databaseDirectUrl: string | null };

/** What a process is told by the first one before it opens anything. */
export interface OpenOrder {
  type: 'open';
  member: Member;
  version: string;
  settings: DecidedSettings;
  store: { url: string; way: StoreWay; folder: string | null; webhooksVoidUntil: string | null };
}

/** What the first process tells the others. */
export type Order =
  | OpenOrder
  | ({ type: 'siblings' } & Siblings)
  | { type: 'read'; id: number; ofAll: boolean }
  | { type: 'end'; why: string; othersListen: boolean };

/** What they tell it. */
export type Report =
  | { type: 'hello' }
  | { type: 'ready'; baseUrl: string | null }
  | { type: 'beat' }
  | { type: 'read'; id: number; readings: Reading[] }
  /** What it measured until its end. */
  | { type: 'last'; readings: Reading[] };

/** How often a process tells that it lives, in milliseconds. */
export const BEAT_MS = 1_000;
