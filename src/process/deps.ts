import type { Redis } from 'ioredis';
import type pg from 'pg';
import { Authenticator } from '../accounts/authenticator.js';
import { ChannelAuthenticator } from '../accounts/channel-authenticator.js';
import { CallbackIntake } from '../carriers/callbacks/intake.js';
import type { CallbackRunner } from '../carriers/callbacks/runner.js';
import type { CarrierType } from '../carriers/carrier-type.js';
import { CarrierRegistry } from '../carriers/registry/registry.js';
import { Routing } from '../carriers/registry/routing.js';
import { releaseRuns } from '../features/automations/run-store.js';
import { releaseCampaigns } from '../features/campaigns/campaign-store.js';
import { demoBaseUrl } from '../features/demo/keys-file.js';
import { seedDemo } from '../features/demo/seed.js';
import { UsageLog } from '../features/usage/usage-log.js';
import type { WebhookDeliverer } from '../features/webhooks/delivery/deliverer.js';
import { Acceptor } from '../messages/accept/acceptor.js';
import { Pricing } from '../messages/accept/pricing.js';
import { postgresBackend, redisBackend } from '../messages/queue/backend.js';
import type { Relay } from '../messages/queue/relay.js';
import { releaseEverything } from '../messages/queue/relay-store.js';
import { SendHints } from '../messages/queue/send-hints.js';
import { SendResults } from '../messages/send/send-results.js';
import { ReceiptDesk } from '../messages/status/receipt-desk.js';
import { StatusWriter } from '../messages/status/status-writer.js';
import { type Clock, systemClock } from '../platform/clock.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../platform/embedded/embedded-postgres.js';
import { type FaultPoints, noFaults } from '../platform/faults.js';
import type { PrismaClient } from '../platform/generated/prisma/client.js';
import { connectRedis } from '../platform/redis.js';
import { applyMigrations } from '../platform/store/migrate.js';
import { openPool, openPrisma } from '../platform/store/pool.js';
import { Closers } from './closers.js';
import type { Config } from './config.js';
import { createLogger, type Logger } from './logger.js';
import { openWork } from './work.js';

/** How long the start waits for a queue that is away; messages are accepted without it. */
const QUEUE_PATIENCE_MS = 2_000;
/** Share of the shutdown time that each step which may hang is given. */
const CLOSE_SHARE = 0.4;

/** Everything that a process needs, opened in order. One object is handed on; nothing else is shared. */
export interface Deps {
  readonly config: Config;
  readonly log: Logger;
  readonly clock: Clock;
  readonly faults: FaultPoints;
  readonly pool: pg.Pool;
  readonly prisma: PrismaClient;
  /** For what several processes share beside the queue, such as rate limits; null without REDIS_URL. */
  readonly redis: Redis | null;
  readonly authenticator: Authenticator;
  readonly channelAuthenticator: ChannelAuthenticator;
  readonly usage: UsageLog;
  readonly acceptor: Acceptor;
  readonly carriers: CarrierRegistry;
  readonly routing: Routing;
  readonly hints: SendHints;
  readonly results: SendResults;
  readonly receipts: ReceiptDesk;
  /** Takes what carriers report by calling us. */
  readonly callbacks: CallbackIntake;
  /** Null in a process that only serves the API. */
  readonly relay: Relay | null;
  /** Null in a process that only serves the API. */
  readonly deliverer: WebhookDeliverer | null;
  /** Rejects when the process cannot go on, e.g. because its embedded store is lost for good. */
  readonly failed: Promise<never>;
  /** Finishes what is under way and closes everything in reverse; may be called again. */
  close(): Promise<void>;
}

export interface DepsOptions {
  log?: Logger;
  clock?: Clock;
  faults?: FaultPoints;
  /** Those that operators can set up; src/carriers/types.ts unless told. */
  carrierTypes?: readonly CarrierType[];
  /** Shows a text to the operator; by default on standard output. */
  announce?(text: string): void;
}

/**
 * Opens store, queue, carriers and workers as the configuration says.
 * @throws when the store cannot be opened, migrated or seeded; everything opened before is closed again
 */
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
  const patienceMs = config.shutdownTimeoutMs * CLOSE_SHARE;
  const works = config.role !== 'api';

  const embedded = config.databaseUrl ? null : await startEmbeddedPostgres({ dataDir: config.dataDir, log });
  if (embedded) closers.add(() => embedded.close());
  const url = config.databaseUrl ?? (embedded as EmbeddedPostgres).url;
  await applyMigrations({ url, log });

  const pool = openPool({ url, size: config.databasePoolSize, log });
  closers.add(() => pool.end());
  const byKey = openPool({ url, size: Math.max(2, Math.ceil(config.databasePoolSize / 2)), log, byKeyOnly: true });
  closers.add(() => byKey.end());
  const prisma = openPrisma(pool);
  closers.add(() => prisma.$disconnect());
  const usage = new UsageLog({ pool, log });
  closers.add(() => usage.close());
  if (config.seedDemo ?? embedded !== null) {
    const announce = options.announce ?? ((text: string) => process.stdout.write(`${text}\n`));
    await seedDemo({ prisma, dataDir: config.dataDir, baseUrl: demoBaseUrl(config.host, config.port), announce });
  }
  // Nobody else can hold a lease on an embedded store.
  if (embedded) {
    await releaseEverything(pool);
    await releaseCampaigns(pool);
    await releaseRuns(pool);
  }

  const redis = config.redisUrl ? connectRedis(config.redisUrl, log) : null;
  if (redis) closers.add(async () => redis.disconnect());
  const backend = config.redisUrl
    ? redisBackend(config.redisUrl, config.queuePrefix, log)
    : postgresBackend(url, config.queuePrefix);
  closers.add(() => backend.close());
  const { simulatorDelayMs, smsCarrier } = config;
  const types = options.carrierTypes;
  const carriers = new CarrierRegistry({ pool, log, clock, simulatorDelayMs, smsCarrier, types });
  closers.add(() => carriers.close(AbortSignal.timeout(patienceMs)));
  await carriers.open();
  const routing = new Routing({ pool, log });
  closers.add(() => routing.close());
  await routing.open();
  const hints = new SendHints({ backend, log, rateOf: (name) => carriers.rateOf(name) });
  closers.add(() => hints.close(patienceMs));

  let writer: StatusWriter | undefined;
  let deliverer: WebhookDeliverer | null = null;
  let callbackRunner: CallbackRunner | null = null;
  const receipts = new ReceiptDesk({ pool: byKey, log, writer: () => writer as StatusWriter });
  const results = new SendResults({ pool: byKey, log });
  closers.add(async () => results.close());
  writer = new StatusWriter({
    pool: byKey,
    log,
    clock,
    onSent: (events) => receipts.afterSent(events),
    onResults: (events) => {
      results.settle(events);
      deliverer?.wake();
    },
  });
  const statuses = writer;
  closers.add(async () => {
    await statuses.close();
    await receipts.idle();
  });
  const acceptor = new Acceptor({
    pool,
    log,
    clock,
    faults,
    pricing: new Pricing(prisma),
    routing,
    validitySeconds: config.messageValiditySeconds,
    waitingLimit: config.acceptWaitingLimit,
    onCommitted: (committed) => {
      // What is scheduled for later is found by the relay when its time has come.
      const due = committed.flatMap(({ ids, carriers: routed, request: { priority, carrier, scheduledAt } }) =>
        scheduledAt ? [] : ids.map((id, index) => ({ id, priority, carrier: routed?.[index] ?? carrier })),
      );
      void hints.add(due);
    },
  });
  closers.add(() => acceptor.idle());
  const callbacks = new CallbackIntake({ pool, onStored: () => callbackRunner?.wake() });
  closers.add(() => callbacks.idle());
  await hints.ready(QUEUE_PATIENCE_MS);

  const opened = {
    config,
    log,
    clock,
    faults,
    pool,
    prisma,
    acceptor,
    carriers,
    routing,
    hints,
    results,
    receipts,
    callbacks,
  };
  const work = works
    ? await openWork({ ...opened, url, alone: embedded !== null, byKey, backend, statuses, patienceMs }, closers)
    : null;
  deliverer = work?.deliverer ?? null;
  callbackRunner = work?.callbackRunner ?? null;

  return {
    ...opened,
    redis,
    authenticator: new Authenticator({ prisma }),
    channelAuthenticator: new ChannelAuthenticator({ prisma }),
    usage,
    relay: work?.relay ?? null,
    deliverer,
    failed: failureOf(embedded),
    close: () => closers.run(),
  };
}

/** A promise that rejects when the embedded store is lost, and otherwise never settles. */
function failureOf(embedded: EmbeddedPostgres | null): Promise<never> {
  const failed = new Promise<never>((_, reject) => {
    embedded?.closed.catch(reject);
  });
  failed.catch(() => undefined);
  return failed;
}
