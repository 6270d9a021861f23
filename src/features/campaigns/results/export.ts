import { formatMoney } from '../../../accounts/money.js';
import { toOptOutSender } from '../../../messages/send/checks/opted-out.js';
import { FIRST_ID } from '../../../platform/ids.js';
import type { Reads } from '../../../platform/reads/reads.js';
import { toCsvLine } from '../../contacts/csv-cells.js';
import { requireCampaign, type Scope } from '../campaigns.js';
import { getVariantName } from '../variants/variants.js';
import { type ExportedRecipient, readRecipientsAfter } from './export-store.js';

const PAGE_ROWS = 5_000;

const TIME_COLUMNS = [
  'createdAt',
  'sentAt',
  'deliveredAt',
  'readAt',
  'repliedAt',
  'clickedAt',
  'optedOutAt',
  'endedAt',
] as const satisfies readonly (keyof ExportedRecipient)[];

/**
 * Exports a campaign's messages as CSV, oldest first. `cost` is `charged` less `refunded`, in units of the currency; its sum
 * equals the campaign's ledger entries. Memory is bounded by one page of rows.
 * @throws {AppError} NOT_FOUND before the first part
 */
export async function exportRecipients(
  { reads }: { reads: Reads },
  scope: Scope,
  id: string,
): Promise<AsyncGenerator<string>> {
  const channel = await reads(async ({ prisma }) => {
    await requireCampaign(prisma, scope, id);
    return prisma.channel.findUniqueOrThrow({ where: { id: scope.channelId } });
  });
  return writePages(reads, { accountId: scope.accountId, campaignId: id, optOutSender: toOptOutSender(channel) });
}

async function* writePages(
  reads: Reads,
  campaign: { accountId: string; campaignId: string; optOutSender: string },
): AsyncGenerator<string> {
  yield toCsvLine([
    'phone',
    'userId',
    'name',
    'status',
    'variant',
    'charged',
    'refunded',
    'cost',
    'carrier',
    'errorCode',
    'errorMessage',
    ...TIME_COLUMNS,
    'messageId',
  ]);
  let after: string = FIRST_ID;
  for (;;) {
    const afterId = after;
    const rows = await reads(({ pool }) => readRecipientsAfter(pool, campaign, afterId, PAGE_ROWS));
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
    yield rows.map((row) => toCsvLine(toCells(row))).join('');
  }
}

function toCells(row: ExportedRecipient): string[] {
  const price = BigInt(row.priceMicros);
  const refund = row.refunded ? price : 0n;
  return [
    row.phone === null ? '' : `+${row.phone}`,
    row.userId ?? '',
    row.name ?? '',
    row.status,
    row.variant === null ? '' : getVariantName(row.variant),
    formatMoney(price),
    formatMoney(refund),
    formatMoney(price - refund),
    row.carrier,
    row.errorCode ?? '',
    row.errorMessage ?? '',
    ...TIME_COLUMNS.map((column) => row[column]?.toISOString() ?? ''),
    row.id,
  ];
}
