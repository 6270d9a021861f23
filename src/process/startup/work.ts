import { setTimeout as pause } from 'node:timers/promises';
import { dispatchCallbacks } from '../../carriers/callbacks/dispatch.js';
import { AskedRunner } from '../../carriers/callbacks/kept/asked-runner.js';
import { ReportSeal } from '../../carriers/callbacks/kept/report-seal.js';
import { CallbackRunner } from '../../carriers/callbacks/runner.js';
import type { CallLog } from '../../carriers/http/call-log.js';
import { CarrierReporter } from '../../carriers/registry/reporter.js';
import { AutomationRunner } from '../../features/automations/runner.js';
import { ScheduledBackups } from '../../features/backup/scheduled-backups.js';
import { CampaignRunner } from '../../features/campaigns/runner.js';
import { ContactImporter } from '../../features/contacts/import/importer.js';
import { FallbackRunner } from '../../features/fallbacks/runner.js';
import { LowBalanceWatch } from '../../features/low-balance/watch.js';
import { Maintenance } from '../../features/maintenance/maintenance.js';
import { MediaKeeper } from '../../features/media/media-keeper.js';
import { ReceiptWatch } from '../../features/spending/receipt-watch.js';
import { WebhookClient } from '../../features/webhooks/delivery/attempts/client.js';
import { WebhookDeliverer } from '../../features/webhooks/delivery/deliverer.js';
import { twimlReplier } from '../../features/webhooks/twilio/reply.js';
import { CountFolder } from '../../messages/counters/count-folder.js';
import type { QueueBackend } from '../../messages/queue/backend.js';
import { JobTableRebuilder } from '../../messages/queue/postgres/job-table.js';
import { Relay } from '../../messages/queue/relay/relay.js';
import { Workers } from '../../messages/queue/workers.js';
import { Sender } from '../../messages/send/sender.js';
import type { CodeSeal } from '../../messages/sign-in-codes/code-seal.js';
import { ALL } from '../../platform/live/live-feed.js';
import { type MeasuredPool, openPool } from '../../platform/store/connections/pool.js';
import { systemClock } from '../../platform/system-clock.js';
import type { Closers } from '../closers.js';
import { OF_CARRIERS, OF_DELIVERIES } from '../live-topics.js';
import { backupPlan } from '../settings/backup-plan.js';
import { reportKeys } from '../settings/report-keys.js';
import { callbackSinks, carrierSinks } from './carrier-sinks.js';
import type { Deps } from './deps.js';
import type { OpenStore } from './open-store.js';

type Opened = Pick<
  Deps,
  | 'config'
  | 'log'
  | 'clock'
  | 'tracing'
  | 'faults'
  | 'pool'
  | 'prisma'
  | 'acceptor'
  | 'carriers'
  | 'routing'
  | 'hints'
  | 'statuses'
  | 'results'
  | 'receipts'
  | 'callbacks'
  | 'live'
  | 'media'
>;

export interface WorkOptions extends Opened {
  store: OpenStore;
  backend: QueueBackend;
  /** Opens the sign-in codes that messages carry. */
  codes: CodeSeal;
  /** What is written down of calls of carriers. */
  calls: CallLog;
  /** Milliseconds that each step of the close which may hang is given. */
  patienceMs: number;
}

/** What others are told of the work of a process. */
export interface Work {
  deliverer: WebhookDeliverer;
  sender: Sender;
  workers: Workers;
  /** Null where the queue is in Redis. */
  jobTable: JobTableRebuilder | null;
  maintenance: Maintenance;
  /** Null where none are planned. */
  backups: ScheduledBackups | null;
  /** Those that only work needs, by what they are for. */
  pools: Readonly<Record<'runners' | 'webhooks' | 'callbacks', MeasuredPool>>;
}

/** Starts what a process does beside answering requests: sending, campaigns, automations, webhooks, sweeping up. */
export async function openWork(options: WorkOptions, closers: Closers): Promise<Work> {
  const { config, log, clock, faults, pool, carriers, hints, statuses, receipts, callbacks, live, media } = options;
  const { patienceMs } = options;
  const inTime = (ended: Promise<unknown> | undefined) =>
    Promise.race([ended, pause(patienceMs / 2, undefined, { ref: false })]);
  const { url, way, connections, byKey } = options.store;
  const traces = options.tracing?.traces ?? null;
  await carriers.start(carrierSinks(options));
  closers.add(async () => {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), patienceMs);
    await carriers.close(abort.signal);
    clearTimeout(timer);
  });
  const reporter = new CarrierReporter({ pool, log, clock, carriers, onWritten: () => live.touch(ALL, OF_CARRIERS) });
  closers.add(() => reporter.stop());
  const sender = new Sender({
    pool: byKey,
    log,
    clock,
    faults,
    carriers,
    routing: options.routing,
    writer: statuses,
    traces,
    codes: options.codes,
    calls: options.calls,
  });
  const workers = new Workers({
    backend: options.backend,
    log,
    clock: systemClock,
    concurrency: config.workerConcurrency,
    onTaken: (lane, number) => hints.recordTaken(lane, number),
    send: (ids, lane, signal) => sender.send(ids, lane, signal),
  });
  closers.add(() => workers.close(patienceMs));
  const relay = new Relay({ pool: byKey, log, clock, hints, workers, carriers, receipts });
  closers.add(() => relay.stop());
  const jobTable = options.backend.kind === 'postgres' ? new JobTableRebuilder({ pool, log }) : null;
  closers.add(async () => jobTable?.stop());
  const maintenance = new Maintenance({
    pool,
    log,
    clock,
    retentionDays: config.messageRetentionDays,
    inWholeMonths: config.messageRetentionWholeMonths,
    keptDays: config.keptReportsDays,
  });
  closers.add(() => maintenance.stop());
  const keeper = new MediaKeeper({
    ...{ pool, log, clock, files: media.files, fetcher: media.fetcher },
    retentionDays: config.mediaRetentionDays,
  });
  // What it fetches just then, and callbacks that are long, may take longer than there is time; they are begun anew.
  closers.add(() => inTime(keeper.stop()));
  const plan = backupPlan(config);
  const backups = plan && new ScheduledBackups({ pool, url, log, clock, plan, dataDir: config.dataDir });
  // One that reads its file again cannot be told to stop; what it leaves is removed by the next.
  closers.add(() => inTime(backups?.stop()));
  const counts = new CountFolder({ pool, log });
  closers.add(() => counts.stop());

  const runnerPool = openPool({ ...way, size: connections.runners, log, byKeyOnly: true });
  closers.add(() => runnerPool.end());
  const campaigns = new CampaignRunner({ ...options, pool: runnerPool });
  closers.add(() => campaigns.stop());
  const automations = new AutomationRunner({
    ...options,
    pool: runnerPool,
    phoneValidation: config.phoneValidation,
    smsMaxChars: config.smsMaxChars,
  });
  closers.add(() => automations.stop());
  const importer = new ContactImporter({ pool: runnerPool, log, clock, faults });
  closers.add(() => importer.stop());
  const fallbacks = new FallbackRunner({ ...options, pool: runnerPool });
  closers.add(() => fallbacks.stop());

  const deliveryPool = openPool({ ...way, size: connections.webhooks, log, byKeyOnly: true });
  closers.add(() => deliveryPool.end());
  const webhookClient = new WebhookClient({ allowPrivate: config.webhookAllowPrivate });
  closers.add(() => webhookClient.close());
  const deliverer = new WebhookDeliverer({
    pool: deliveryPool,
    log,
    clock,
    signingClock: systemClock,
    faults,
    post: (request) => webhookClient.post(request),
    reply: twimlReplier({ ...options, phoneValidation: config.phoneValidation, smsMaxChars: config.smsMaxChars }),
    traces,
    publicUrl: config.publicUrl,
    concurrency: config.webhookConcurrency,
    endpointConcurrency: config.webhookEndpointConcurrency,
    leasesVoidUntil: options.store.released?.webhooksVoidUntil ?? null,
    onWritten: (accountIds) => {
      for (const accountId of accountIds) live.touch(accountId, OF_DELIVERIES);
    },
  });
  closers.add(() => deliverer.stop(patienceMs / 2));
  const lowBalances = new LowBalanceWatch({ pool, log, wakeDeliverer: () => deliverer.wake() });
  closers.add(() => lowBalances.stop());
  const receiptWatch = new ReceiptWatch({ pool, log, clock, tally: options.acceptor.tally });
  closers.add(() => receiptWatch.stop());
  statuses.results.add(() => deliverer.wake());

  const callbackPool = openPool({ ...way, size: connections.callbacks, log, byKeyOnly: true });
  closers.add(() => inTime(callbackPool.end()));
  const reports = {
    pool: callbackPool,
    log,
    seal: new ReportSeal(reportKeys(config)),
    apply: dispatchCallbacks({
      types: carriers.types,
      pool: callbackPool,
      log,
      sinks: callbackSinks({ pool: callbackPool, clock, log, receipts, live, fetchesMedia: media.fetchesMedia }),
    }),
  };
  const callbackRunner = new CallbackRunner({ ...reports, faults });
  const askedRunner = new AskedRunner(reports);
  closers.add(() => inTime(Promise.all([callbackRunner.stop(), askedRunner.stop()])));
  callbacks.stored.add(() => callbackRunner.wake());

  reporter.start();
  deliverer.start();
  callbackRunner.start();
  askedRunner.start();
  workers.start();
  relay.start();
  jobTable?.start();
  campaigns.start();
  automations.start();
  fallbacks.start();
  importer.start();
  maintenance.start();
  keeper.start();
  backups?.start();
  counts.start();
  lowBalances.start();
  receiptWatch.start();
  const pools = { runners: runnerPool, webhooks: deliveryPool, callbacks: callbackPool };
  return { deliverer, sender, workers, jobTable, maintenance, backups, pools };
}
