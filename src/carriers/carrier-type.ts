import type { Static, TObject } from '@sinclair/typebox';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Clock } from '../platform/clock.js';
import type { FieldProblem } from '../platform/errors/app-error.js';
import type { CallbackSinks } from './callbacks/callback-sinks.js';
import type { ClaimedCallback } from './callbacks/callback-store.js';
import type { CallbackEndpoint } from './callbacks/endpoint.js';
import type { UnmatchedReport } from './callbacks/unmatched/unmatched-report.js';
import type { Carrier } from './carrier.js';
import type { ChannelSettings } from './channel-settings.js';
import type { CallSink } from './http/client.js';

export interface CarrierContext<Settings = Record<string, unknown>> {
  name: string;
  /** Settings with defaults applied and secrets resolved. */
  settings: Settings;
  log: Logger;
  clock: Clock;
  calls: CallSink;
  /** Hosts that may have private addresses (CARRIER_PRIVATE_HOSTS). */
  privateHosts?: readonly string[];
  /** True for disabled carriers, which send no messages but still receive reports. */
  receivesOnly?: boolean;
}

export interface CheckedChannel {
  id: string;
  kind: 'sms' | 'whatsapp';
  /** Digits with country code. */
  phoneNumber: string;
  settings: ChannelSettings | null;
}

export interface CheckStep {
  /** What was checked, e.g. "connect to smsc.example.com:2775". */
  what: string;
  /** Null on success. Contains no secrets. */
  problem: string | null;
  setting?: string;
  /** True if the step could not be verified, in which case `what` describes the unverified part. */
  isUntried?: boolean;
}

export interface CallbackContext {
  /** Queries through this pool must find rows by key, because its connections forbid sequential scans (see `openPool`). */
  pool: pg.Pool;
  log: Logger;
  sinks: CallbackSinks;
}

export interface CarrierCallbacks {
  /** Mounted below `/callbacks/<type>/<carrier>`. */
  readonly endpoints: readonly CallbackEndpoint[];
  /**
   * Applies callbacks, even for disabled carriers, and returns the unmatched parts to store. The method must be idempotent,
   * because after a failure each callback is applied again separately.
   */
  apply(callbacks: readonly ClaimedCallback[], context: CallbackContext): Promise<readonly UnmatchedReport[]>;
}

export interface CarrierPreset {
  /** Lower case, e.g. `twilio`. */
  readonly name: string;
  /** Display name, e.g. `Twilio`. */
  readonly title: string;
  readonly help: string;
  readonly settings: TObject;
  readonly secrets: readonly string[];
  readonly destinations: readonly string[];
  /** Whether the vendor replies to STOP, START and HELP by default, so that a second reply would be sent. */
  readonly repliesToKeywords?: true;
  findProblems?(settings: Record<string, unknown>): string[];
}

/** The command line and the console use the schema of a carrier type to show and check settings. */
export interface CarrierType<Settings extends TObject = TObject> {
  /** Lower case, e.g. `smpp`. */
  readonly type: string;
  readonly kinds: readonly ('sms' | 'whatsapp')[];
  readonly settings: Settings;
  /** Settings that may be `env:NAME` or `file:/path` and are never shown. */
  readonly secrets: readonly string[];
  /**
   * Settings that determine where secrets are sent. An operator who changes one in the console must enter the secrets
   * again.
   */
  readonly destinations: readonly string[];
  readonly presets?: readonly CarrierPreset[];
  readonly logsCalls?: true;
  readonly channelSettings?: TObject;
  /** Channel setting by which inbound messages find their channel, so no two channels of a carrier may have the same value. */
  readonly channelIdentity?: string;
  readonly callbacks?: CarrierCallbacks;
  /** Checks rules that the schema cannot express. */
  findProblems?(settings: Static<Settings>): string[];
  /** Finds settings that are rejected when saved, but do not stop a carrier that already has them. */
  findUnsupported?(settings: Record<string, unknown>): FieldProblem[];
  findRouteProblem?(settings: Static<Settings>): string | null;
  /** Creates the carrier, which connects only when `start` is called. */
  open(context: CarrierContext<Static<Settings>>): Carrier;
  /** Yields the result of each check, and stops at the first problem. */
  check(context: CarrierContext<Static<Settings>>, channels: readonly CheckedChannel[]): AsyncIterable<CheckStep>;
  /** Lists values that the operator must enter in the vendor's settings, e.g. callback URLs. */
  listEntries?(name: string, settings: Static<Settings>): { what: string; value: string }[];
}
