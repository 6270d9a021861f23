import type { Logger } from 'pino';
import { Authenticator } from '../../accounts/authenticator.js';
import { ChannelAuthenticator } from '../../accounts/channel-authenticator.js';
import { KeyUsage } from '../../accounts/key-usage.js';
import { LockedAccounts } from '../../accounts/locked-accounts.js';
import { OidcProvider } from '../../accounts/operators/oidc/provider.js';
import { Sessions } from '../../accounts/operators/sessions/sessions.js';
import { FailedSignIns } from '../../accounts/operators/sign-in/failed-sign-ins.js';
import { CallbackIntake } from '../../carriers/callbacks/intake.js';
import type { CarrierType } from '../../carriers/carrier-type.js';
import { CallLog } from '../../carriers/http/call-log.js';
import { CarrierRegistry } from '../../carriers/registry/registry.js';
import { Routing } from '../../carriers/registry/routing.js';
import { LinkDomains } from '../../features/links/domain/link-domains.js';
import { ClickCounter } from '../../features/links/redirect/click-counter.js';
import { LinkLookup } from '../../features/links/redirect/lookup.js';
import { UsageLog } from '../../features/usage/usage-log.js';
import { Verifications } from '../../features/verifications/verifications.js';
import { Acceptor } from '../../messages/accept/acceptor.js';
import { Pricing } from '../../messages/accept/pricing.js';
import { openPostgresBackend, openRedisBackend } from '../../messages/queue/backend.js';
import { SendHints } from '../../messages/queue/send-hints.js';
import { QuietAccounts } from '../../messages/quiet-hours/quiet-accounts.js';
import { SendResults } from '../../messages/send/results/send-results.js';
import { CodeSeal } from '../../messages/sign-in-codes/code-seal.js';
import { ReceiptDesk } from '../../messages/status/receipt-desk.js';
import { StatusWriter } from '../../messages/status/status-writer.js';
import type { Clock } from '../../platform/clock.js';
import { StartError } from '../../platform/errors/start-error.js';
import { type FaultPoints, noFaults } from '../../platform/faults.js';
import { LiveFeed } from '../../platform/live/live-feed.js';
import { LiveListener } from '../../platform/live/live-listener.js';
import type { Metric } from '../../platform/metrics/metric.js';
import { type ResolveTxt, resolveTxt } from '../../platform/net/txt-records.js';
import { connectRedis, requireNoEviction } from '../../platform/redis/connections.js';
import { systemClock } from '../../platform/system-clock.js';
import { Turns } from '../../platform/turns.js';
import { RequestTally } from '../../surfaces/http/connection/request-metrics.js';
import { Closers } from '../closers.js';
import { rejectWhenLost } from '../failure.js';
import { MESSAGE_TOPICS } from '../live-topics.js';
import { announce, createLogger } from '../logger.js';
import type { Config } from '../settings/config.js';
import { oidcSettings } from '../settings/oidc-settings.js';
import { verificationKeys } from '../settings/report-keys.js';
import { openTracing } from '../tracing/open-tracing.js';
import { collectMetrics } from './collect-metrics.js';
import type { Deps } from './deps.js';
import { openMedia } from './open-media.js';
import { openReads } from './open-reads.js';
import { openStore, type SharedStore } from './open-store.js';
import { openWork } from './work.js';

/** How long the start waits for the queue, without which messages are still accepted. */
const QUEUE_TIMEOUT_MS = 2_000;
const CLOSE_SHARE = 0.4;

export interface DepsOptions {
  log?: Logger;
  clock?: Clock;
  faults?: FaultPoints;
  /** Default: src/carriers/types.ts. */
  carrierTypes?: readonly CarrierType[];
  /** Default: standard output. */
  announce?(text: string): void;
  metrics?: readonly Metric[];
  /** Default: the system's name servers. */
  resolveTxt?: ResolveTxt;
  shared?: SharedStore;
}

export async function openDeps(config: Config, options: DepsOptions = {}): Promise<Deps> {
  const closers = new Closers();
  try {
    return await open(config, options, closers);
  } catch (error) {
    await closers.run();
    throw error;
  }
}

async function open(config: Config, options: DepsOptions, closers: Closers): Promise<Deps> {
  const log = options.log ?? createLogger(config);
  const clock = options.clock ?? systemClock;
  const faults = options.faults ?? noFaults;
  const announceText = options.announce ?? ((text: string) => announce(config, text));
  const closeTimeoutMs = config.shutdownTimeoutMs * CLOSE_SHARE;
  const tracing = await openTracing(config, log);
  if (tracing) closers.add(() => tracing.close(closeTimeoutMs / 2));
  const traces = tracing?.traces ?? null;

  const store = await openStore({ config, log, clock, closers, announce: announceText, shared: options.shared });
  const { url, connections, pool, byKey, prisma } = store;
  const { read: reads, replica } = await openReads(config, { primary: { pool, prisma }, url, log }, closers);
  const keyUses = new KeyUsage({ pool, log, clock });
  closers.add(() => keyUses.write());
  const live = new LiveFeed({ pool, log });
  closers.add(() => live.close());
  const usage = new UsageLog({ pool, log });
  closers.add(() => usage.close());
  const domains = new LinkDomains({ pool, log });
  closers.add(() => domains.close());
  await domains.open();
  const lookup = new LinkLookup({ pool: byKey, clock, retentionDays: config.messageRetentionDays });
  closers.add(() => lookup.waitUntilIdle());
  const clicks = new ClickCounter({
    pool: byKey,
    log,
    clock,
    onCounted: (accountIds) => {
      for (const accountId of accountIds) live.markStale(accountId, MESSAGE_TOPICS);
    },
  });
  closers.add(() => clicks.close());

  const redis = config.redisUrl ? connectRedis(config.redisUrl, log) : null;
  if (redis) closers.add(async () => redis.disconnect());
  const { redisUrl, queuePrefix } = config;
  const backend = connections.queue
    ? openPostgresBackend(url, queuePrefix, connections.queue, log, tracing?.queue)
    : openRedisBackend(redisUrl as string, queuePrefix, log, tracing?.queue);
  closers.add(() => backend.close());
  const builtIn = { simulator: { delayMs: config.simulatorDelayMs, replyWindow: config.simulatorReplyWindow } };
  const { smsCarrier, carrierPrivateHosts: privateHosts } = config;
  const types = options.carrierTypes;
  const calls = new CallLog({ pool, log, clock });
  closers.add(() => calls.close());
  const carriers = new CarrierRegistry({ pool, log, clock, calls, privateHosts, builtIn, smsCarrier, types });
  closers.add(() => carriers.close(AbortSignal.timeout(closeTimeoutMs)));
  await carriers.open();
  const media = await openMedia(config, { pool, clock, log, carriers }, closers);
  expectSmsCarrier(carriers);
  const routing = new Routing({ pool, log });
  closers.add(() => routing.close());
  await routing.open();
  const quietAccounts = new QuietAccounts({ pool, log });
  closers.add(() => quietAccounts.close());
  await quietAccounts.open();
  const hints = new SendHints({ backend, log, rateLimitFor: (name) => carriers.getRate(name), traces });
  closers.add(() => hints.close(closeTimeoutMs));

  const results = new SendResults({ pool: byKey, log });
  closers.add(async () => results.close());
  const lockedAccounts = new LockedAccounts(pool, config.databaseTimeoutMs);
  const statuses = new StatusWriter({ pool: byKey, log, clock, traces, lockedAccounts });
  const receipts = new ReceiptDesk({ pool: byKey, log, writer: statuses });
  statuses.sent.add((events) => receipts.afterSent(events));
  statuses.results.add((events) => results.publish(events));
  closers.add(async () => {
    await statuses.close();
    await receipts.idle();
  });
  const turns = new Turns();
  const acceptor = new Acceptor({
    pool,
    log,
    clock,
    turns,
    faults,
    lockedAccounts,
    pricing: new Pricing({ prisma, turns }),
    routing,
    validitySeconds: config.messageValiditySeconds,
    timeoutMs: config.databaseTimeoutMs,
    waitingLimit: config.acceptWaitingLimit,
    hints,
    live,
    liveTopics: MESSAGE_TOPICS,
  });
  closers.add(() => acceptor.idle());
  statuses.changed.add((accountIds) => {
    for (const accountId of accountIds) live.markStale(accountId, MESSAGE_TOPICS);
  });
  const liveListener = new LiveListener({ url, log, timeoutMs: config.databaseTimeoutMs });
  closers.add(() => liveListener.close());
  const callbacks = new CallbackIntake({ pool });
  closers.add(() => callbacks.waitUntilIdle());
  await Promise.all([hints.waitUntilReady(QUEUE_TIMEOUT_MS), redis && requireNoEviction(redis, QUEUE_TIMEOUT_MS)]);

  const codes = new CodeSeal(verificationKeys(config));
  const verifications = new Verifications({ pool, clock, acceptor, codes });
  const openedDeps = {
    config,
    log,
    clock,
    turns,
    tracing,
    faults,
    lockedAccounts,
    pool,
    prisma,
    acceptor,
    carriers,
    routing,
    quietAccounts,
    hints,
    statuses,
    results,
    receipts,
    callbacks,
    links: { domains, lookup, clicks },
    resolveTxt: options.resolveTxt ?? resolveTxt,
    live,
    liveListener,
    media,
    codes,
    calls,
    verifications,
  };
  const work =
    config.role === 'api' ? null : await openWork({ ...openedDeps, store, backend, closeTimeoutMs }, closers);

  const requests = new RequestTally();
  const failedSignIns = new FailedSignIns({ prisma, log });
  closers.add(() => failedSignIns.waitForWrites());
  const oidc = oidcSettings(config);
  return {
    ...openedDeps,
    reads,
    redis,
    authenticator: new Authenticator({ prisma, uses: keyUses }),
    channelAuthenticator: new ChannelAuthenticator({ prisma, uses: keyUses }),
    sessions: new Sessions({
      prisma,
      clock,
      idleMs: config.consoleSessionIdleMinutes * 60_000,
      absoluteMs: config.consoleSessionHours * 3_600_000,
    }),
    failedSignIns,
    oidc: oidc && new OidcProvider(oidc, { clock, log }),
    usage,
    requests,
    metrics: [
      ...collectMetrics({ ...openedDeps, requests, failedSignIns, store, replica, work }),
      ...(options.metrics ?? []),
    ],
    deliverer: work?.deliverer ?? null,
    failed: rejectWhenLost(store.lost),
    close: () => closers.run(),
  };
}

function expectSmsCarrier(carriers: CarrierRegistry): void {
  const name = carriers.getSmsCarrierName();
  const names = carriers.listNames();
  if (names.includes(name)) return;
  throw new StartError(
    `SMS_CARRIER is ${name}, but no carrier has this name. Create it with "heliograph carrier add ${name}", ` +
      `or set SMS_CARRIER to one of: ${names.join(', ')}.`,
  );
}
