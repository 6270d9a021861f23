import type { Reading } from '../../platform/metrics/reading.js';
import type { Siblings } from '../../surfaces/http/health.js';
import type { Config } from '../settings/config.js';
import type { PoolTarget } from '../startup/open-store.js';

export interface Member {
  /** From 1. */
  number: number;
  total: number;
  role: 'api' | 'worker';
  listens: boolean;
  /** Whether this member logs hints, such as a missing account, which only one member must log. */
  logsStartHints: boolean;
}

/** These settings stay the same in a rolling restart, because members receive them from the primary process. */
export type SharedSettings = Pick<
  Config,
  'host' | 'port' | 'dataDir' | 'databasePoolSize' | 'shutdownTimeoutMs' | 'metricsPort'
> & { databaseUrl: string | null; databaseDirectUrl: string | null };

/** The primary process sends this message first: a member opens nothing before it has received its settings. */
export interface OpenMessage {
  type: 'open';
  member: Member;
  version: string;
  settings: SharedSettings;
  /** Dates are passed as text, because the messages are JSON. */
  store: { url: string; poolTarget: PoolTarget; folder: string | null; webhooksVoidUntil: string | null };
}

export type PrimaryMessage =
  | OpenMessage
  | ({ type: 'siblings' } & Siblings)
  | { type: 'read'; id: number; includesShared: boolean }
  | { type: 'end'; reason: string; othersListen: boolean };

export type MemberMessage =
  | { type: 'hello' }
  | { type: 'ready'; baseUrl: string | null }
  | { type: 'beat' }
  | { type: 'read'; id: number; readings: Reading[] }
  | { type: 'last'; readings: Reading[] };

export const HEARTBEAT_MS = 1_000;
