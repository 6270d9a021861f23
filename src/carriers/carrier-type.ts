import type { Static, TObject } from '@sinclair/typebox';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Clock } from '../platform/clock.js';
import type { FieldProblem } from '../platform/errors/app-error.js';
import type { CallbackSinks } from './callbacks/callback-sinks.js';
import type { ClaimedCallback } from './callbacks/callback-store.js';
import type { CallbackEndpoint } from './callbacks/endpoint.js';
import type { UnusedReport } from './callbacks/kept/unused-report.js';
import type { Carrier } from './carrier.js';
import type { ChannelSettings } from './channel-settings.js';
import type { CallSink } from './http/client.js';

/** What a carrier is made of. */
export interface CarrierContext<Settings = Record<string, unknown>> {
  /** By which channels, routes and messages name it. */
  name: string;
  /** Checked, with defaults filled in and secrets resolved. */
  settings: Settings;
  log: Logger;
  clock: Clock;
  /** Told of each call, where it calls over HTTP. */
  calls: CallSink;
  /** Hosts that it may reach at private addresses too, as CARRIER_PRIVATE_HOSTS names them; none unless told. */
  privateHosts?: readonly string[];
  /** An operator disabled it: it is never given a message, and only what it reports is received. */
  receivesOnly?: boolean;
}

/** A channel that a carrier is checked with. */
export interface CheckedChannel {
  id: string;
  kind: 'sms' | 'whatsapp';
  /** Digits with country code. */
  phoneNumber: string;
  settings: ChannelSettings | null;
}

/** One thing that `heliograph carrier check` has tried. */
export interface CheckStep {
  /** What was tried, e.g. "connect to smsc.example.com:2775". */
  what: string;
  /** Null when it went well; else what is wrong, without secrets. */
  problem: string | null;
  /** The setting that is probably wrong, e.g. `password`. */
  setting?: string;
  /** Nothing was tried: `what` says what an operator should not take for granted. */
  isUntried?: boolean;
}

/** What callbacks are worked off with. */
export interface CallbackContext {
  /** Connections of the callbacks' own. It reaches rows by key only (see openPool). */
  pool: pg.Pool;
  log: Logger;
  sinks: CallbackSinks;
}

/** How carriers report by calling us. */
export interface CarrierCallbacks {
  /** Mounted below `/callbacks/<type>/<carrier>`, and kept out of the API's document. */
  readonly endpoints: readonly CallbackEndpoint[];
  /**
   * Does what stored callbacks say, the oldest first; they may be of several carriers of the type, some of which may be
   * switched off by now. Doing it twice must change nothing: when it fails, each callback is tried again by itself.
   * @returns what of them it does not use, which is kept: nothing that a carrier tells us is dropped
   */
  apply(callbacks: readonly ClaimedCallback[], context: CallbackContext): Promise<readonly UnusedReport[]>;
}

/** A form of a type with settings of its own, such as one for each vendor. The setting `preset` names it. */
export interface CarrierPreset {
  /** Lower case, e.g. `twilio`. */
  readonly name: string;
  /** As operators read it, e.g. `Twilio`. */
  readonly title: string;
  /** What is to be done at the vendor's, and what is not possible there, in a sentence or two. */
  readonly help: string;
  readonly settings: TObject;
  readonly secrets: readonly string[];
  readonly destinations: readonly string[];
  problems?(settings: Record<string, unknown>): string[];
}

/**
 * A kind of carrier, of which operators set up as many as they like. Its settings are one flat object, described by a
 * schema: what the schema says of a setting is what the command line shows and checks.
 */
export interface CarrierType<Settings extends TObject = TObject> {
  /** Lower case, e.g. `smpp`. */
  readonly type: string;
  /** What its carriers take. */
  readonly kinds: readonly ('sms' | 'whatsapp')[];
  readonly settings: Settings;
  /** Names of settings that may be `env:NAME` or `file:/path`, and that no output ever shows. */
  readonly secrets: readonly string[];
  /**
   * Names of settings that say where secrets are sent, and how who is there is trusted: hosts, ports, URLs, TLS. Who changes
   * one at the console gives the secrets anew.
   */
  readonly destinations: readonly string[];
  /** Its forms, beside the one without a preset. */
  readonly presets?: readonly CarrierPreset[];
  /** Whether its carriers call over HTTP and tell `CarrierContext.calls` of it, so that operators can read their calls. */
  readonly logsCalls?: true;
  /** What its carriers must know of a channel; left out where that is nothing. */
  readonly channelSettings?: TObject;
  /** Which of them tells the channels of a carrier apart, so that what comes in finds its channel: no two share a value. */
  readonly channelIdentity?: string;
  /** Left out where its carriers never call us. */
  readonly callbacks?: CarrierCallbacks;
  /** Rules that a schema cannot say, a line for each that is broken. */
  problems?(settings: Static<Settings>): string[];
  /** Settings that are refused when they are saved, while a carrier that has them already goes on without them. */
  unsupported?(settings: Record<string, unknown>): FieldProblem[];
  /** Why no route may lead to a carrier with these settings; null where one may. Left out where each takes messages. */
  routeProblem?(settings: Static<Settings>): string | null;
  /** Makes a carrier. It connects to nothing before it is started. */
  open(context: CarrierContext<Static<Settings>>): Carrier;
  /** Tries out what can be tried without sending a message. The first problem ends it. */
  check(context: CarrierContext<Static<Settings>>, channels: readonly CheckedChannel[]): AsyncIterable<CheckStep>;
  /** What an operator must enter at the vendor's, such as the addresses that it is to call; left out where that is nothing. */
  entries?(name: string, settings: Static<Settings>): { what: string; value: string }[];
}
