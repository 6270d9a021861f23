import { setTimeout as pause } from 'node:timers/promises';
import { createCallbackDispatcher } from '../../carriers/callbacks/dispatch.js';
import { CallbackRunner } from '../../carriers/callbacks/runner.js';
import { ReplayRunner } from '../../carriers/callbacks/unmatched/replay-runner.js';
import { ReportSeal } from '../../carriers/callbacks/unmatched/report-seal.js';
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
import { WebhookClient } from '../../features/webhooks/client.js';
import { WebhookDeliverer } from '../../features/webhooks/delivery/deliverer.js';
import { createTwimlReplier } from '../../features/webhooks/twilio/reply.js';
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
import { CARRIER_TOPICS, DELIVERY_TOPICS } from '../live-topics.js';
import { backupPlan } from '../settings/backup-plan.js';
import { reportKeys } from '../settings/report-keys.js';
import { callbackSinks, carrierSinks } from './carrier-sinks.js';
import type { Deps } from './deps.js';
import type { OpenStore } from './open-store.js';

type OpenedDeps = Pick<
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
  | 'quietAccounts'
  | 'hints'
  | 'statuses'
  | 'results'
  | 'receipts'
  | 'callbacks'
  | 'live'
  | 'media'
>;

export interface WorkOptions extends OpenedDeps {
  store: OpenStore;
  backend: QueueBackend;
  codes: CodeSeal;
  calls: CallLog;
  closeTimeoutMs: number;
}

export interface Work {
  deliverer: WebhookDeliverer;
  sender: Sender;
  workers: Workers;
  jobTable: JobTableRebuilder | null;
  maintenance: Maintenance;
  backups: ScheduledBackups | null;
  pools: Readonly<Record<'runners' | 'webhooks' | 'callbacks', MeasuredPool>>;
}

export async function openWork(options: WorkOptions, closers: Closers): Promise<Work> {
  const { config, log, clock, faults, pool, carriers, hints, statuses, receipts, callbacks, live, media } = options;
  const { closeTimeoutMs } = options;
  const waitBriefly = (stopped: Promise<unknown> | undefined) =>
    Promise.race([stopped, pause(closeTimeoutMs / 2, undefined, { ref: false })]);
  const { url, poolTarget, connections, byKey } = options.store;
  const traces = options.tracing?.traces ?? null;
  await carriers.start(carrierSinks(options));
  closers.add(async () => {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), closeTimeoutMs);
    await carriers.close(abort.signal);
    clearTimeout(timer);
  });
  const reporter = new CarrierReporter({
    pool,
    log,
    clock,
    carriers,
    onWritten: () => live.markStale(ALL, CARRIER_TOPICS),
  });
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
    quietAccounts: options.quietAccounts,
  });
  const workers = new Workers({
    backend: options.backend,
    log,
    clock: systemClock,
    concurrency: config.workerConcurrency,
    onJobTaken: (lane, number) => hints.recordTaken(lane, number),
    send: (ids, lane, signal) => sender.send(ids, lane, signal),
  });
  closers.add(() => workers.close(closeTimeoutMs));
  const relay = new Relay({ pool: byKey, log, clock, hints, workers, carriers, receipts });
  closers.add(() => relay.stop());
  const jobTable = options.backend.kind === 'postgres' ? new JobTableRebuilder({ pool, log }) : null;
  closers.add(async () => jobTable?.stop());
  const maintenance = new Maintenance({
    pool,
    log,
    clock,
    acceptor: options.acceptor,
    retentionDays: config.messageRetentionDays,
    inWholeMonths: config.messageRetentionWholeMonths,
    keptDays: config.keptReportsDays,
  });
  closers.add(() => maintenance.stop());
  const keeper = new MediaKeeper({
    ...{ pool, log, clock, files: media.files, fetcher: media.fetcher },
    retentionDays: config.mediaRetentionDays,
  });
  // The wait is limited, because a download may take longer than the shutdown allows.
  closers.add(() => waitBriefly(keeper.stop()));
  const schedule = backupPlan(config);
  const backups = schedule && new ScheduledBackups({ pool, url, log, clock, plan: schedule, dataDir: config.dataDir });
  // The wait is limited, because verifying a backup cannot be interrupted. The next scheduled backup removes an unfinished
  // file.
  closers.add(() => waitBriefly(backups?.stop()));
  const counts = new CountFolder({ pool, log });
  closers.add(() => counts.stop());

  const runnerPool = openPool({ ...poolTarget, size: connections.runners, log, byKeyOnly: true });
  closers.add(() => runnerPool.end());
  const campaigns = new CampaignRunner({
    ...options,
    pool: runnerPool,
    smsMaxChars: config.smsMaxChars,
    publicUrl: config.publicUrl,
  });
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

  const deliveryPool = openPool({ ...poolTarget, size: connections.webhooks, log, byKeyOnly: true });
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
    reply: createTwimlReplier({ ...options, phoneValidation: config.phoneValidation, smsMaxChars: config.smsMaxChars }),
    traces,
    publicUrl: config.publicUrl,
    concurrency: config.webhookConcurrency,
    endpointConcurrency: config.webhookEndpointConcurrency,
    leasesVoidUntil: options.store.released?.webhooksVoidUntil ?? null,
    onWritten: (accountIds) => {
      for (const accountId of accountIds) live.markStale(accountId, DELIVERY_TOPICS);
    },
  });
  closers.add(() => deliverer.stop(closeTimeoutMs / 2));
  const lowBalances = new LowBalanceWatch({ pool, log, wakeDeliverer: () => deliverer.wake() });
  closers.add(() => lowBalances.stop());
  const receiptWatch = new ReceiptWatch({ pool, log, clock, tally: options.acceptor.tally });
  closers.add(() => receiptWatch.stop());
  statuses.results.add(() => deliverer.wake());

  const callbackPool = openPool({ ...poolTarget, size: connections.callbacks, log, byKeyOnly: true });
  closers.add(() => waitBriefly(callbackPool.end()));
  const reportOptions = {
    pool: callbackPool,
    log,
    seal: new ReportSeal(reportKeys(config)),
    apply: createCallbackDispatcher({
      types: carriers.types,
      pool: callbackPool,
      log,
      sinks: callbackSinks({ ...options, pool: callbackPool, fetchesMedia: media.fetchesMedia }),
    }),
  };
  const callbackRunner = new CallbackRunner({ ...reportOptions, faults });
  const replayRunner = new ReplayRunner(reportOptions);
  closers.add(() => waitBriefly(Promise.all([callbackRunner.stop(), replayRunner.stop()])));
  callbacks.commitListeners.add(() => callbackRunner.wake());

  reporter.start();
  deliverer.start();
  callbackRunner.start();
  replayRunner.start();
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
