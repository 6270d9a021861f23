import { Type } from '@sinclair/typebox';
import type { ChannelCaller } from '../../../accounts/channel-authenticator.js';
import { findStanding } from '../../../features/channels/channel-standing.js';
import { toPhoneNumberId } from '../../../features/channels/graph-ids.js';
import type { Clock } from '../../../platform/clock.js';

export interface NumberOptions {
  prisma: Parameters<typeof findStanding>[0];
  clock: Clock;
}

export const NumberFields = Type.Partial(
  Type.Object({
    id: Type.String({ examples: ['482913750264817'] }),
    display_phone_number: Type.String({ examples: ['+15005550100'] }),
    verified_name: Type.String({ description: 'The name of the channel.', examples: ['Support'] }),
    quality_rating: Type.String({
      description: 'As last reported by the carrier; `UNKNOWN` if never reported.',
      examples: ['GREEN'],
    }),
    messaging_limit_tier: Type.String({
      description: 'As last reported by the carrier; absent if never reported.',
      examples: ['TIER_1K'],
    }),
    code_verification_status: Type.String({ examples: ['VERIFIED'] }),
    platform_type: Type.String({ examples: ['CLOUD_API'] }),
    status: Type.String({ description: '`CONNECTED`, or `DISCONNECTED` if the channel is disabled.' }),
  }),
);

export async function numberFields({ prisma, clock }: NumberOptions, { account, channel }: ChannelCaller) {
  const ref = { id: channel.id, accountId: account.id };
  const { qualityRating, messagingLimit } = await findStanding(prisma, ref, clock.now());
  return {
    id: toPhoneNumberId(channel),
    display_phone_number: `+${channel.phoneNumber}`,
    verified_name: channel.name,
    quality_rating: qualityRating ?? 'UNKNOWN',
    ...(messagingLimit !== null && { messaging_limit_tier: messagingLimit }),
    code_verification_status: 'VERIFIED',
    platform_type: 'CLOUD_API',
    status: channel.isActive ? 'CONNECTED' : 'DISCONNECTED',
  };
}
