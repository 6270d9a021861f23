import type pg from 'pg';
import type { Logger } from 'pino';
import type { Authenticator } from '../../accounts/authenticator.js';
import type { ChannelAuthenticator } from '../../accounts/channel-authenticator.js';
import type { HeldAccounts } from '../../accounts/held-accounts.js';
import type { OidcProvider } from '../../accounts/operators/oidc/provider.js';
import type { Sessions } from '../../accounts/operators/sessions/sessions.js';
import type { FailedSignIns } from '../../accounts/operators/sign-in/failed-sign-ins.js';
import type { CallbackIntake } from '../../carriers/callbacks/intake.js';
import type { CarrierRegistry } from '../../carriers/registry/registry.js';
import type { Routing } from '../../carriers/registry/routing.js';
import type { UsageLog } from '../../features/usage/usage-log.js';
import type { Verifications } from '../../features/verifications/verifications.js';
import type { WebhookDeliverer } from '../../features/webhooks/delivery/deliverer.js';
import type { Acceptor } from '../../messages/accept/acceptor.js';
import type { SendHints } from '../../messages/queue/send-hints.js';
import type { SendResults } from '../../messages/send/results/send-results.js';
import type { ReceiptDesk } from '../../messages/status/receipt-desk.js';
import type { StatusWriter } from '../../messages/status/status-writer.js';
import type { Clock } from '../../platform/clock.js';
import type { FaultPoints } from '../../platform/faults.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import type { LiveFeed } from '../../platform/live/live-feed.js';
import type { LiveListener } from '../../platform/live/live-listener.js';
import type { Metric } from '../../platform/metrics/metric.js';
import type { Reads } from '../../platform/reads/reads.js';
import type { RedisConnection } from '../../platform/redis/connections.js';
import type { Turns } from '../../platform/turns.js';
import type { RequestTally } from '../../surfaces/http/connection/request-metrics.js';
import type { Config } from '../settings/config.js';
import type { Tracing } from '../tracing/tracing.js';
import type { ProcessMedia } from './open-media.js';

/**
 * Everything that a process needs, opened in order. Only this folder and the entry points know it: whatever lies below
 * is handed the few things that it needs.
 */
export interface Deps {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  /** Of the event loop, for long work. */
  readonly turns: Turns;
  /** Null where nothing is traced. */
  readonly tracing: Tracing | null;
  readonly faults: FaultPoints;
  readonly held: HeldAccounts;
  readonly pool: pg.Pool;
  readonly prisma: PrismaClient;
  /** For what several processes share beside the queue, such as rate limits; null without REDIS_URL. */
  /** What only reads and may be a little old, such as lists of the console; from a replica where there is one. */
  readonly reads: Reads;
  readonly redis: RedisConnection | null;
  readonly authenticator: Authenticator;
  readonly channelAuthenticator: ChannelAuthenticator;
  /** Of operators at the console. */
  readonly sessions: Sessions;
  /** Tells of those who were not let in there. */
  readonly failedSignIns: FailedSignIns;
  /** By which operators sign in as well; null where it is not configured. */
  readonly oidc: OidcProvider | null;
  readonly usage: UsageLog;
  readonly acceptor: Acceptor;
  readonly carriers: CarrierRegistry;
  readonly routing: Routing;
  readonly hints: SendHints;
  readonly statuses: StatusWriter;
  readonly results: SendResults;
  readonly receipts: ReceiptDesk;
  /** Sign-in codes. */
  readonly verifications: Verifications;
  /** Tells the pages of the console what has become stale. */
  readonly live: LiveFeed;
  /** Hears it for the pages that this process serves. */
  readonly liveListener: LiveListener;
  /** The files of channels. */
  readonly media: ProcessMedia;
  /** Takes what carriers report by calling us. */
  readonly callbacks: CallbackIntake;
  /** Counts the requests that the application answers. */
  readonly requests: RequestTally;
  /** Everything that is measured in this process. */
  readonly metrics: readonly Metric[];
  /** Null in a process that only serves the API. */
  readonly deliverer: WebhookDeliverer | null;
  /** Rejects when the process cannot go on, e.g. because its embedded store is lost for good. */
  readonly failed: Promise<never>;
  /** Finishes what is under way and closes everything in reverse; may be called again. */
  close(): Promise<void>;
}
