import type pg from 'pg';
import type { Logger } from 'pino';
import type { Authenticator } from '../../accounts/authenticator.js';
import type { ChannelAuthenticator } from '../../accounts/channel-authenticator.js';
import type { LockedAccounts } from '../../accounts/locked-accounts.js';
import type { OidcProvider } from '../../accounts/operators/oidc/provider.js';
import type { Sessions } from '../../accounts/operators/sessions/sessions.js';
import type { FailedSignIns } from '../../accounts/operators/sign-in/failed-sign-ins.js';
import type { CallbackIntake } from '../../carriers/callbacks/intake.js';
import type { CarrierRegistry } from '../../carriers/registry/registry.js';
import type { Routing } from '../../carriers/registry/routing.js';
import type { LinkDomains } from '../../features/links/domain/link-domains.js';
import type { ClickCounter } from '../../features/links/redirect/click-counter.js';
import type { LinkLookup } from '../../features/links/redirect/lookup.js';
import type { UsageLog } from '../../features/usage/usage-log.js';
import type { Verifications } from '../../features/verifications/verifications.js';
import type { WebhookDeliverer } from '../../features/webhooks/delivery/deliverer.js';
import type { Acceptor } from '../../messages/accept/acceptor.js';
import type { SendHints } from '../../messages/queue/send-hints.js';
import type { QuietAccounts } from '../../messages/quiet-hours/quiet-accounts.js';
import type { SendResults } from '../../messages/send/results/send-results.js';
import type { ReceiptDesk } from '../../messages/status/receipt-desk.js';
import type { StatusWriter } from '../../messages/status/status-writer.js';
import type { Clock } from '../../platform/clock.js';
import type { FaultPoints } from '../../platform/faults.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import type { LiveFeed } from '../../platform/live/live-feed.js';
import type { LiveListener } from '../../platform/live/live-listener.js';
import type { Metric } from '../../platform/metrics/metric.js';
import type { ResolveTxt } from '../../platform/net/txt-records.js';
import type { Reads } from '../../platform/reads/reads.js';
import type { RedisConnection } from '../../platform/redis/connections.js';
import type { Turns } from '../../platform/turns.js';
import type { RequestTally } from '../../surfaces/http/connection/request-metrics.js';
import type { Config } from '../settings/config.js';
import type { Tracing } from '../tracing/tracing.js';
import type { ProcessMedia } from './open-media.js';

/** Only code in process/ and cli/ uses this type, because other code receives only the objects that it needs. */
export interface Deps {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly turns: Turns;
  readonly tracing: Tracing | null;
  readonly faults: FaultPoints;
  readonly lockedAccounts: LockedAccounts;
  readonly pool: pg.Pool;
  readonly prisma: PrismaClient;
  /** Runs read-only queries, whose result may be slightly stale, on the replica or else on the primary. */
  readonly reads: Reads;
  /** Connection for state that processes share, such as rate limits, or null without REDIS_URL. */
  readonly redis: RedisConnection | null;
  readonly authenticator: Authenticator;
  readonly channelAuthenticator: ChannelAuthenticator;
  readonly sessions: Sessions;
  readonly failedSignIns: FailedSignIns;
  readonly oidc: OidcProvider | null;
  readonly usage: UsageLog;
  readonly acceptor: Acceptor;
  readonly carriers: CarrierRegistry;
  readonly routing: Routing;
  readonly quietAccounts: QuietAccounts;
  readonly hints: SendHints;
  readonly statuses: StatusWriter;
  readonly results: SendResults;
  readonly receipts: ReceiptDesk;
  readonly verifications: Verifications;
  readonly live: LiveFeed;
  readonly liveListener: LiveListener;
  readonly media: ProcessMedia;
  readonly callbacks: CallbackIntake;
  readonly links: { readonly domains: LinkDomains; readonly lookup: LinkLookup; readonly clicks: ClickCounter };
  /** Proves the domains of short links. */
  readonly resolveTxt: ResolveTxt;
  readonly requests: RequestTally;
  readonly metrics: readonly Metric[];
  readonly deliverer: WebhookDeliverer | null;
  /** Rejects when the process cannot continue, for example because its embedded store is lost. */
  readonly failed: Promise<never>;
  close(): Promise<void>;
}
