import type { ChannelKind } from '../../../platform/generated/prisma/client.js';
import type { ChannelSender } from './compose.js';

export interface SenderRow {
  account_id: string;
  currency: string;
  rate_card_id: string;
  spend_guard: unknown;
  frequency_cap: unknown;
  channel_id: string;
  kind: ChannelKind;
  phone_number: string;
  carrier: string;
  is_active: boolean;
}

export function toChannelSender(row: SenderRow): ChannelSender {
  return {
    account: {
      id: row.account_id,
      currency: row.currency,
      rateCardId: row.rate_card_id,
      spendGuard: row.spend_guard,
      frequencyCap: row.frequency_cap,
    },
    channel: {
      id: row.channel_id,
      kind: row.kind,
      phoneNumber: row.phone_number,
      carrier: row.carrier,
      isActive: row.is_active,
    },
  };
}
