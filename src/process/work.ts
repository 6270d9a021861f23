import type pg from 'pg';
import { CallbackRunner } from '../carriers/callbacks/runner.js';
import { applyWebhooks } from '../carriers/whatsapp-cloud/callbacks/apply.js';
import { AutomationRunner } from '../features/automations/runner.js';
import { CampaignRunner } from '../features/campaigns/runner.js';
import { FallbackRunner } from '../features/fallbacks/runner.js';
import { Maintenance } from '../features/maintenance/maintenance.js';
import { WebhookClient } from '../features/webhooks/delivery/client.js';
import { WebhookDeliverer } from '../features/webhooks/delivery/deliverer.js';
import type { QueueBackend } from '../messages/queue/backend.js';
import { Relay } from '../messages/queue/relay.js';
import { Workers } from '../messages/queue/workers.js';
import { Sender } from '../messages/send/sender.js';
import type { StatusWriter } from '../messages/status/status-writer.js';
import { openPool } from '../platform/store/pool.js';
import { carrierSinks } from './carrier-sinks.js';
import type { Closers } from './closers.js';
import type { Deps } from './deps.js';
import type { ReleasedLeases } from './release-leases.js';

/** Of campaigns, automations and fallbacks, so that neither requests nor receipts ever wait for a connection of theirs. */
const RUNNER_CONNECTIONS = 4;
/** Of the deliverer of webhooks: one that reads the outbox, one that writes what came of it. */
const DELIVERER_CONNECTIONS = 2;
/** Of what works off the callbacks of carriers: one that claims and deletes, and those that store messages. */
const CALLBACK_CONNECTIONS = 4;
type Opened = Pick<
  Deps,
  | 'config'
  | 'log'
  | 'clock'
  | 'faults'
  | 'pool'
  | 'prisma'
  | 'acceptor'
  | 'carriers'
  | 'routing'
  | 'hints'
  | 'results'
  | 'receipts'
>;

export interface WorkOptions extends Opened {
  url: string;
  /** Null where other processes may be at work on this store. */
  released: ReleasedLeases | null;
  /** Reaches rows by key only (see openPool). */
  byKey: pg.Pool;
  backend: QueueBackend;
  statuses: StatusWriter;
  /** Milliseconds that each step of the close which may hang is given. */
  patienceMs: number;
}

/** Starts what a process does beside answering requests: sending, campaigns, automations, webhooks, sweeping up. */
export async function openWork(
  options: WorkOptions,
  closers: Closers,
): Promise<{ relay: Relay; deliverer: WebhookDeliverer; callbackRunner: CallbackRunner }> {
  const { config, log, clock, faults, pool, url, byKey, carriers, hints, receipts, patienceMs } = options;
  await carriers.start(carrierSinks(options));
  closers.add(async () => {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), patienceMs);
    await carriers.close(abort.signal);
    clearTimeout(timer);
  });
  const sender = new Sender({
    pool: byKey,
    log,
    clock,
    faults,
    carriers,
    routing: options.routing,
    writer: options.statuses,
  });
  const workers = new Workers({
    backend: options.backend,
    log,
    concurrency: config.workerConcurrency,
    send: (ids, signal) => sender.send(ids, signal),
  });
  closers.add(() => workers.close(patienceMs));
  const relay = new Relay({ pool: byKey, log, clock, hints, carriers, receipts });
  closers.add(() => relay.stop());
  const maintenance = new Maintenance({ pool, log, clock, retentionDays: config.messageRetentionDays });
  closers.add(() => maintenance.stop());

  const runnerPool = openPool({ url, size: RUNNER_CONNECTIONS, log, byKeyOnly: true });
  closers.add(() => runnerPool.end());
  const campaigns = new CampaignRunner({ ...options, pool: runnerPool });
  closers.add(() => campaigns.stop());
  const automations = new AutomationRunner({ ...options, pool: runnerPool });
  closers.add(() => automations.stop());
  const fallbacks = new FallbackRunner({ ...options, pool: runnerPool });
  closers.add(() => fallbacks.stop());

  const deliveryPool = openPool({ url, size: DELIVERER_CONNECTIONS, log, byKeyOnly: true });
  closers.add(() => deliveryPool.end());
  const webhookClient = new WebhookClient({ allowPrivate: config.webhookAllowPrivate });
  closers.add(() => webhookClient.close());
  const deliverer = new WebhookDeliverer({
    pool: deliveryPool,
    log,
    clock,
    faults,
    post: (request) => webhookClient.post(request),
    concurrency: config.webhookConcurrency,
    leasesVoidUntil: options.released?.webhooksVoidUntil ?? null,
  });
  closers.add(() => deliverer.stop(patienceMs / 2));

  const callbackPool = openPool({ url, size: CALLBACK_CONNECTIONS, log, byKeyOnly: true });
  closers.add(() => callbackPool.end());
  const callbackRunner = new CallbackRunner({
    pool: callbackPool,
    log,
    apply: (batch) => applyWebhooks({ pool: callbackPool, clock, log, receipts: (each) => receipts.take(each) }, batch),
  });
  closers.add(() => callbackRunner.stop());

  deliverer.start();
  callbackRunner.start();
  workers.start();
  relay.start();
  campaigns.start();
  automations.start();
  fallbacks.start();
  maintenance.start();
  return { relay, deliverer, callbackRunner };
}
