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
  /** With defaults and secrets filled in. */
  settings: Settings;
  log: Logger;
  clock: Clock;
  calls: CallSink;
  /** Hosts that may have private addresses (CARRIER_PRIVATE_HOSTS). */
  privateHosts?: readonly string[];
  /** Disabled carriers get no messages but still receive reports. */
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
  /** `what` describes what remains unverified. */
  isUntried?: boolean;
}

export interface CallbackContext {
  /** Its connections forbid scans: query by key only (see `openPool`). */
  pool: pg.Pool;
  log: Logger;
  sinks: CallbackSinks;
}

export interface CarrierCallbacks {
  /** Mounted below `/callbacks/<type>/<carrier>`. */
  readonly endpoints: readonly CallbackEndpoint[];
  /**
   * Gets callbacks of several carriers, including disabled carriers. Must be idempotent: after a failure, each callback
   * is applied again alone.
   * @returns the unmatched parts, which are stored
   */
  apply(callbacks: readonly ClaimedCallback[], context: CallbackContext): Promise<readonly UnmatchedReport[]>;
}

/** Selected by the setting `preset`. */
export interface CarrierPreset {
  /** Lower case, e.g. `twilio`. */
  readonly name: string;
  /** Display name, e.g. `Twilio`. */
  readonly title: string;
  readonly help: string;
  readonly settings: TObject;
  readonly secrets: readonly string[];
  readonly destinations: readonly string[];
  findProblems?(settings: Record<string, unknown>): string[];
}

/** The command line and the console show and check settings according to the schema. */
export interface CarrierType<Settings extends TObject = TObject> {
  /** Lower case, e.g. `smpp`. */
  readonly type: string;
  readonly kinds: readonly ('sms' | 'whatsapp')[];
  readonly settings: Settings;
  /** Settings that may be `env:NAME` or `file:/path` and are never shown. */
  readonly secrets: readonly string[];
  /** Changing one of these settings in the console requires entering the secrets again. */
  readonly destinations: readonly string[];
  readonly presets?: readonly CarrierPreset[];
  readonly logsCalls?: true;
  readonly channelSettings?: TObject;
  /** Unique per carrier, because it routes inbound messages. */
  readonly channelIdentity?: string;
  readonly callbacks?: CarrierCallbacks;
  /** Checks rules that the schema cannot express. */
  findProblems?(settings: Static<Settings>): string[];
  /** Settings that are rejected when saved, but do not stop a carrier that already has them. */
  findUnsupported?(settings: Record<string, unknown>): FieldProblem[];
  findRouteProblem?(settings: Static<Settings>): string | null;
  /** The carrier connects only when started. */
  open(context: CarrierContext<Static<Settings>>): Carrier;
  /** Stops at the first problem. */
  check(context: CarrierContext<Static<Settings>>, channels: readonly CheckedChannel[]): AsyncIterable<CheckStep>;
  /** Values that the operator must enter at the vendor, e.g. callback URLs. */
  listEntries?(name: string, settings: Static<Settings>): { what: string; value: string }[];
}
