import { type Static, Type } from '@sinclair/typebox';
import { CarrierError } from '../carrier-error.js';
import type { ChannelSettings } from '../channel-settings.js';

/** The name of the type. */
export const WHATSAPP_CLOUD = 'whatsapp-cloud';

/** Meta's ids are numbers that are written as text. */
const META_ID = '^[0-9]{1,32}$';

/** What an operator says of a Meta app with its WhatsApp numbers. */
export const cloudSettings = Type.Object({
  accessToken: Type.String({
    minLength: 1,
    description: 'Token of a system user with whatsapp_business_messaging and whatsapp_business_management.',
  }),
  appSecret: Type.String({ minLength: 1, description: "The app's secret, by which Meta signs its webhooks." }),
  verifyToken: Type.String({
    minLength: 1,
    description: 'A word of your own, entered in the webhook configuration of the app as well.',
  }),
  businessAccountId: Type.Optional(
    Type.String({
      pattern: META_ID,
      description: 'Id of the WhatsApp Business account, for channels that name none: its templates are used.',
    }),
  ),
  portfolioId: Type.Optional(
    Type.String({
      pattern: META_ID,
      description:
        'Id of the business portfolio that has the accounts: the ids of people without a number belong to it.',
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
    description: 'Messages per second of one number and worker process; Meta allows 80, on request 1,000.',
  }),
  timeoutMs: Type.Integer({
    minimum: 100,
    maximum: 120_000,
    default: 20_000,
    description: 'How long Meta may take to answer. A message whose answer is late is sent again.',
  }),
  baseUrl: Type.String({
    pattern: '^https?://[^\\s/?#]+$',
    default: 'https://graph.facebook.com',
    description: 'Where the Graph API is.',
  }),
});

export type CloudSettings = Static<typeof cloudSettings>;

/** What a carrier of this type must know of a channel. */
export const cloudChannelSettings = Type.Object({
  phoneNumberId: Type.String({ pattern: META_ID, description: "Meta's id of the number (not the number itself)." }),
  businessAccountId: Type.Optional(
    Type.String({ pattern: META_ID, description: 'Id of its WhatsApp Business account, where it is another one.' }),
  ),
});

/**
 * Meta's id of a channel's number.
 * @throws {CarrierError} NOT_CONFIGURED, retryable: an operator can set it
 */
export function phoneNumberIdOf(settings: ChannelSettings | null): string {
  return idOf(settings?.phoneNumberId, 'phoneNumberId');
}

/**
 * Meta's id of the business account of a channel.
 * @throws {CarrierError} NOT_CONFIGURED, retryable: an operator can set it
 */
export function businessAccountIdOf(settings: ChannelSettings | null, carrier: CloudSettings): string {
  return idOf(settings?.businessAccountId ?? carrier.businessAccountId, 'businessAccountId');
}

function idOf(value: unknown, setting: string): string {
  if (typeof value === 'string' && new RegExp(META_ID).test(value)) return value;
  throw CarrierError.unavailable('NOT_CONFIGURED', `The channel has no ${setting}.`);
}
