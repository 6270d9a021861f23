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

/** What a carrier type needs to open a carrier. */
export interface CarrierContext<Settings = Record<string, unknown>> {
  /** The carrier's name in channels, routes and messages. */
  name: string;
  /** Validated, with defaults and secrets filled in. */
  settings: Settings;
  log: Logger;
  clock: Clock;
  /** Records the carrier's HTTP calls. */
  calls: CallSink;
  /** Hosts that may have private addresses (CARRIER_PRIVATE_HOSTS). Default: none. */
  privateHosts?: readonly string[];
  /** The carrier is disabled: it gets no messages but still receives reports. */
  receivesOnly?: boolean;
}

/** A channel to include in a carrier check. */
export interface CheckedChannel {
  id: string;
  kind: 'sms' | 'whatsapp';
  /** Digits with country code. */
  phoneNumber: string;
  settings: ChannelSettings | null;
}

/** One step of `heliograph carrier check`. */
export interface CheckStep {
  /** What was checked, e.g. "connect to smsc.example.com:2775". */
  what: string;
  /** What is wrong; null on success. Contains no secrets. */
  problem: string | null;
  /** The setting that is probably wrong, e.g. `password`. */
  setting?: string;
  /** Nothing was checked: `what` describes what remains unverified. */
  isUntried?: boolean;
}

/** What a carrier type needs to process callbacks. */
export interface CallbackContext {
  /** Reserved for callbacks. Its connections forbid scans: query by key only (see `openPool`). */
  pool: pg.Pool;
  log: Logger;
  sinks: CallbackSinks;
}

/** How carriers of a type call us. */
export interface CarrierCallbacks {
  /** Mounted below `/callbacks/<type>/<carrier>`; not part of the OpenAPI document. */
  readonly endpoints: readonly CallbackEndpoint[];
  /**
   * Applies stored callbacks, oldest first. They may belong to several carriers of the type, including disabled ones. Must be
   * idempotent: after a failure, each callback is applied again by itself.
   * @returns the unmatched parts, which are stored: no carrier report is dropped
   */
  apply(callbacks: readonly ClaimedCallback[], context: CallbackContext): Promise<readonly UnmatchedReport[]>;
}

/** A variant of a type with its own settings, e.g. for one vendor. Selected by the setting `preset`. */
export interface CarrierPreset {
  /** Lower case, e.g. `twilio`. */
  readonly name: string;
  /** Display name, e.g. `Twilio`. */
  readonly title: string;
  /** One or two sentences: what to set up at the vendor, and what the vendor does not support. */
  readonly help: string;
  readonly settings: TObject;
  readonly secrets: readonly string[];
  readonly destinations: readonly string[];
  problems?(settings: Record<string, unknown>): string[];
}

/**
 * A kind of carrier. Operators can set up any number of carriers of a type. Settings are a flat object; the command line
 * and the console show and check them according to the schema.
 */
export interface CarrierType<Settings extends TObject = TObject> {
  /** Lower case, e.g. `smpp`. */
  readonly type: string;
  /** Message kinds its carriers send. */
  readonly kinds: readonly ('sms' | 'whatsapp')[];
  readonly settings: Settings;
  /** Settings that may be `env:NAME` or `file:/path` and are never shown. */
  readonly secrets: readonly string[];
  /**
   * Settings that determine where secrets are sent and how the receiver is authenticated: hosts, ports, URLs, TLS. Changing
   * one in the console requires entering the secrets again.
   */
  readonly destinations: readonly string[];
  /** Variants in addition to the plain type. */
  readonly presets?: readonly CarrierPreset[];
  /** Whether its carriers record HTTP calls in `CarrierContext.calls`, for operators to read. */
  readonly logsCalls?: true;
  /** Settings of each channel of its carriers, if any. */
  readonly channelSettings?: TObject;
  /** The channel setting that identifies a channel at the carrier. Unique per carrier; routes inbound messages. */
  readonly channelIdentity?: string;
  /** Absent if carriers of this type never call us. */
  readonly callbacks?: CarrierCallbacks;
  /** Checks rules that the schema cannot express. Returns one line per violation. */
  problems?(settings: Static<Settings>): string[];
  /** Finds settings that are rejected when saved, but do not stop a carrier that already has them. */
  unsupported?(settings: Record<string, unknown>): FieldProblem[];
  /** Why routes cannot use a carrier with these settings; null if they can. Absent if all carriers of the type can send. */
  routeProblem?(settings: Static<Settings>): string | null;
  /** Creates a carrier. It connects only when started. */
  open(context: CarrierContext<Static<Settings>>): Carrier;
  /** Checks what can be checked without sending a message. Stops at the first problem. */
  check(context: CarrierContext<Static<Settings>>, channels: readonly CheckedChannel[]): AsyncIterable<CheckStep>;
  /** Values that the operator must enter at the vendor, such as callback URLs. Absent if there are none. */
  entries?(name: string, settings: Static<Settings>): { what: string; value: string }[];
}
