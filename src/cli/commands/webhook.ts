import type { Command } from 'commander';
import { changing } from '../../accounts/audit/change.js';
import { type EveryWebhook, listEveryWebhook } from '../../features/webhooks/every-webhook-store.js';
import { MAX_RESENT, resendDeliveries } from '../../features/webhooks/resend.js';
import { systemClock } from '../../platform/system-clock.js';
import { cliActor } from '../change.js';
import type { CliContext } from '../context.js';
import { limitOption, OF_ACCOUNT } from '../options.js';
import { type Json, print, table } from '../output.js';
import { withStore } from '../store.js';

const HOUR_MS = 3_600_000;
const MOST_LISTED = 1_000;

interface ListOptions {
  account?: string;
  limit: number;
}

/** `heliograph webhook …`: those of all accounts, which of them fail, and sending again what was given up. */
export function addWebhookCommands(program: Command, context: CliContext): void {
  const webhook = program.command('webhook').description('webhooks of all accounts');
  addListing(webhook, context, {
    name: 'list',
    description: 'all webhooks, those that fail first',
    onlyFailing: false,
  });
  addListing(webhook, context, {
    name: 'failing',
    description: 'those whose deliveries fail, or that the server disabled, with what they answered',
    onlyFailing: true,
  });
  webhook
    .command('resend')
    .description(`queue deliveries again that were given up, ${MAX_RESENT.toLocaleString('en')} at once at the most`)
    .argument('<webhook-id>')
    .option('--hours <number>', 'of the last so many hours; without it, all that the log has')
    .option('--enable', 'switch the webhook on first, where it is off', false)
    .action(async (id: string, { hours, enable }: { hours?: string; enable: boolean }, command: Command) => {
      const since =
        hours === undefined ? new Date(0) : new Date(systemClock.now().getTime() - hoursOf(hours) * HOUR_MS);
      const done = await withStore(context, (prisma) =>
        changing({ prisma }, { actor: cliActor(), accountId: null }, async (change) => {
          const result = await resendDeliveries(change, id, { since, enables: enable });
          const { accountId, wasActive: isActive, resent } = result;
          const told = { action: 'webhook.resend', accountId, subject: id, before: { isActive }, after: { resent } };
          return { result, told };
        }),
      );
      const what = `${done.resent.toLocaleString('en')} ${done.resent === 1 ? 'delivery is' : 'deliveries are'} due again`;
      print(context, command, { webhookId: id, resent: done.resent }, `${what}; a process that works sends them now.`);
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
    .option(...OF_ACCOUNT)
    .addOption(limitOption(MOST_LISTED))
    .action(async ({ account, limit }: ListOptions, command: Command) => {
      const rows = await withStore(context, (_prisma, pool) =>
        listEveryWebhook(pool, { accountId: account ?? null, onlyFailing, limit }),
      );
      const cells = rows.map((row) => [
        row.id,
        row.accountName,
        row.accountId,
        row.url,
        stateOf(row),
        answerOf(row),
        String(row.failed),
      ]);
      const shown = rows.map((row) => ({ ...row, failingSince: row.failingSince?.toISOString() ?? null }));
      const heading = ['ID', 'ACCOUNT', 'ACCOUNT ID', 'URL', 'STATE', 'LAST FAILURE', 'GIVEN UP'];
      const readable = rows.length === 0 && onlyFailing ? 'No webhook fails.' : table(heading, cells);
      print(context, command, shown as Json[], readable);
    });
}

function stateOf({ isActive, isCallback, disabledReason, failingSince }: EveryWebhook): string {
  if (isCallback) return `callback_url, failing since ${failingSince?.toISOString() ?? 'unknown'}`;
  if (!isActive) return disabledReason ? `disabled (${disabledReason})` : 'off';
  return failingSince ? `failing since ${failingSince.toISOString()}` : 'active';
}

function answerOf({ lastStatusCode, lastError }: EveryWebhook): string {
  return lastStatusCode === null ? (lastError ?? '') : String(lastStatusCode);
}

function hoursOf(text: string): number {
  const hours = Number(text);
  if (!Number.isFinite(hours) || hours <= 0 || hours > 8_760)
    throw new Error('--hours must be a number from 0 to 8760');
  return hours;
}
