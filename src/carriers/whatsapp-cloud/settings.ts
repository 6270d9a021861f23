import { type Static, Type } from '@sinclair/typebox';
import { CarrierError } from '../carrier-error.js';
import type { ChannelSettings } from '../channel-settings.js';

export const WHATSAPP_CLOUD = 'whatsapp-cloud';

/** Meta's IDs are digits in a string. */
const META_ID = '^[0-9]{1,32}$';

export const cloudSettings = Type.Object({
  accessToken: Type.String({
    minLength: 1,
    description:
      'Access token of a system user with the permissions whatsapp_business_messaging and whatsapp_business_management.',
  }),
  appSecret: Type.String({ minLength: 1, description: 'App secret, with which Meta signs webhooks.' }),
  verifyToken: Type.String({
    minLength: 1,
    description: 'A string of your choice. Enter the same one in the webhook configuration of the app.',
  }),
  businessAccountId: Type.Optional(
    Type.String({
      pattern: META_ID,
      description: 'ID of the WhatsApp Business account whose templates are used. A channel can set its own.',
    }),
  ),
  portfolioId: Type.Optional(
    Type.String({
      pattern: META_ID,
      description:
        'ID of the business portfolio that owns the accounts. User IDs of people without a phone number are specific to it.',
    }),
  ),
  apiVersion: Type.String({
    pattern: '^v[0-9]{1,3}\\.[0-9]{1,2}$',
    default: 'v26.0',
    description: 'Version of the Graph API.',
  }),
  ratePerSecond: Type.Number({
    minimum: 0.1,
    maximum: 10_000,
    default: 80,
    description: 'Messages per second, per number and worker process. Meta allows 80, or 1,000 on request.',
  }),
  timeoutMs: Type.Integer({
    minimum: 100,
    maximum: 120_000,
    default: 20_000,
    description: 'Timeout for a call to Meta. A message without a response in time is sent again.',
  }),
  baseUrl: Type.String({
    pattern: '^https?://[^\\s/?#]+$',
    default: 'https://graph.facebook.com',
    description: 'Base URL of the Graph API.',
  }),
});

export type CloudSettings = Static<typeof cloudSettings>;

export const cloudChannelSettings = Type.Object({
  phoneNumberId: Type.String({
    pattern: META_ID,
    description: "Meta's ID for the phone number (not the number itself).",
  }),
  businessAccountId: Type.Optional(
    Type.String({
      pattern: META_ID,
      description: "ID of the channel's WhatsApp Business account, if it differs from the carrier's.",
    }),
  ),
});

/** Throws the CarrierError NOT_CONFIGURED, which is retryable because an operator can enter the phone number ID. */
export function requirePhoneNumberId(settings: ChannelSettings | null): string {
  return requireMetaId(settings?.phoneNumberId, 'phoneNumberId');
}

/** Throws the CarrierError NOT_CONFIGURED, which is retryable because an operator can enter the business account ID. */
export function requireBusinessAccountId(settings: ChannelSettings | null, carrier: CloudSettings): string {
  return requireMetaId(settings?.businessAccountId ?? carrier.businessAccountId, 'businessAccountId');
}

function requireMetaId(value: unknown, setting: string): string {
  if (typeof value === 'string' && new RegExp(META_ID).test(value)) return value;
  throw CarrierError.unavailable('NOT_CONFIGURED', `The channel has no ${setting}.`);
}
