import type { Command } from 'commander';
import { makeChange } from '../../accounts/audit/change.js';
import { type EveryWebhook, listEveryWebhook } from '../../features/webhooks/every-webhook-store.js';
import { MAX_RESENT, resendDeliveries } from '../../features/webhooks/resend.js';
import { systemClock } from '../../platform/system-clock.js';
import { cliActor } from '../change.js';
import type { CliContext } from '../context.js';
import { ACCOUNT_FILTER, limitOption } from '../options.js';
import { formatTable, type Json, print } from '../output.js';
import { withStore } from '../store.js';

const HOUR_MS = 3_600_000;
const MAX_LISTED = 1_000;

interface ListOptions {
  account?: string;
  limit: number;
}

export function addWebhookCommands(program: Command, context: CliContext): void {
  const webhook = program.command('webhook').description('webhooks of all accounts');
  addListing(webhook, context, {
    name: 'list',
    description: 'list all webhooks, failing ones first',
    onlyFailing: false,
  });
  addListing(webhook, context, {
    name: 'failing',
    description: 'list webhooks that fail or that the server has disabled, with their last response',
    onlyFailing: true,
  });
  webhook
    .command('resend')
    .description(`queue failed deliveries again, at most ${MAX_RESENT.toLocaleString('en')} at a time`)
    .argument('<webhook-id>')
    .option('--hours <number>', 'how many hours back to look for failures; default: all stored failures')
    .option('--enable', 'enable the webhook first if it is disabled', false)
    .action(async (id: string, { hours, enable }: { hours?: string; enable: boolean }, command: Command) => {
      const since =
        hours === undefined ? new Date(0) : new Date(systemClock.now().getTime() - parseHours(hours) * HOUR_MS);
      const resend = await withStore(context, (prisma) =>
        makeChange({ prisma }, { actor: cliActor(), accountId: null }, async (change) => {
          const result = await resendDeliveries(change, id, { since, enables: enable });
          const { accountId, wasActive: isActive, resent } = result;
          const auditEntry = {
            action: 'webhook.resend',
            accountId,
            subject: id,
            before: { isActive },
            after: { resent },
          };
          return { result, audit: auditEntry };
        }),
      );
      const count = `${resend.resent.toLocaleString('en')} ${resend.resent === 1 ? 'delivery' : 'deliveries'}`;
      print(context, command, { webhookId: id, resent: resend.resent }, `Queued ${count} again.`);
    });
}

function addListing(
  parent: Command,
  context: CliContext,
  { name, description, onlyFailing }: { name: string; description: string; onlyFailing: boolean },
): void {
  parent
    .command(name)
    .description(description)
    .option(...ACCOUNT_FILTER)
    .addOption(limitOption(MAX_LISTED))
    .action(async ({ account, limit }: ListOptions, command: Command) => {
      const rows = await withStore(context, (_prisma, pool) =>
        listEveryWebhook(pool, { accountId: account ?? null, onlyFailing, limit }),
      );
      const cells = rows.map((row) => [
        row.id,
        row.accountName,
        row.accountId,
        row.url,
        describeState(row),
        describeLastFailure(row),
        String(row.failed),
      ]);
      const output = rows.map((row) => ({ ...row, failingSince: row.failingSince?.toISOString() ?? null }));
      const heading = ['ID', 'ACCOUNT', 'ACCOUNT ID', 'URL', 'STATE', 'LAST FAILURE', 'GIVEN UP'];
      const readable = rows.length === 0 && onlyFailing ? 'No webhooks are failing.' : formatTable(heading, cells);
      print(context, command, output as Json[], readable);
    });
}

function describeState({ isActive, isCallback, disabledReason, failingSince }: EveryWebhook): string {
  if (isCallback) return `callback_url, failing since ${failingSince?.toISOString() ?? 'unknown'}`;
  if (!isActive) return disabledReason ? `disabled (${disabledReason})` : 'off';
  return failingSince ? `failing since ${failingSince.toISOString()}` : 'active';
}

function describeLastFailure({ lastStatusCode, lastError }: EveryWebhook): string {
  return lastStatusCode === null ? (lastError ?? '') : String(lastStatusCode);
}

function parseHours(text: string): number {
  const hours = Number(text);
  if (!Number.isFinite(hours) || hours <= 0 || hours > 8_760)
    throw new Error('--hours must be a number above 0 and up to 8760');
  return hours;
}
