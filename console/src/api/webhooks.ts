import { queryOptions } from '@tanstack/react-query';
import {
  ACCOUNT_EVENT_TYPES,
  CHANNEL_EVENT_TYPES,
  type ChannelEventType,
} from '../../../src/messages/events/webhook-events.js';
import type {
  DeliveryView,
  WebhookView,
  WebhookWithSecretView,
} from '../../../src/surfaces/admin/contract/webhooks-schemas.js';
import { call } from './client/call.js';

export type Webhook = WebhookView;
export type WebhookWithSecret = WebhookWithSecretView;
export type Delivery = DeliveryView;

/** Owner of webhooks: a channel, or the whole account if `channelId` is null. */
export interface WebhookOwner {
  accountId: string;
  channelId: string | null;
}

/** Events that webhooks in Meta's or Twilio's format can report. */
export const FORMATTED_EVENTS: readonly string[] = ['message.received', 'message.status'] satisfies ChannelEventType[];

export interface WebhookDraft {
  url: string;
  events: string[];
  format: Webhook['format'];
  /** Verify token for Meta's format; an empty string leaves the stored token unchanged. */
  verifyToken: string;
  /** App secret for Meta's format; if empty, the server creates a secret. */
  appSecret: string;
  /** Token for Twilio's format; if empty, the server creates a token. */
  authToken: string;
}

export const POLL_MS = 2_000;

export const webhookEndpoint = ({ accountId, channelId }: WebhookOwner) =>
  channelId === null
    ? ({ base: '/accounts/:accountId/webhooks', params: { accountId } } as const)
    : ({ base: '/accounts/:accountId/channels/:channelId/webhooks', params: { accountId, channelId } } as const);

export const webhooksKey = ({ accountId, channelId }: WebhookOwner) => ['webhooks', accountId, channelId] as const;

export const webhooksQuery = (owner: WebhookOwner) => {
  const { base, params } = webhookEndpoint(owner);
  return queryOptions({
    queryKey: webhooksKey(owner),
    queryFn: ({ signal }) => call(`GET ${base}`, { params, signal }),
  });
};

export const webhookQuery = (owner: WebhookOwner, id: string) => {
  const { base, params } = webhookEndpoint(owner);
  return queryOptions({
    queryKey: [...webhooksKey(owner), id],
    queryFn: ({ signal }) => call(`GET ${base}/:id`, { params: { ...params, id }, signal }),
  });
};

export const createWebhook = ({ accountId, channelId }: WebhookOwner, { url, events, ...options }: WebhookDraft) =>
  channelId === null
    ? call('POST /accounts/:accountId/webhooks', {
        params: { accountId },
        body: {
          url,
          events: pickEvents(ACCOUNT_EVENT_TYPES, events),
          ...(options.format === 'twilio' && toTwilioFields(options)),
        },
      })
    : call('POST /accounts/:accountId/channels/:channelId/webhooks', {
        params: { accountId, channelId },
        body: { url, events: pickEvents(CHANNEL_EVENT_TYPES, events), ...toFormatFields(options) },
      });

export function updateWebhook(
  { accountId, channelId }: WebhookOwner,
  { id, version }: Pick<Webhook, 'id' | 'version'>,
  { url, events, isActive, verifyToken }: Partial<WebhookDraft> & { isActive?: boolean },
) {
  return channelId === null
    ? call('PUT /accounts/:accountId/webhooks/:id', {
        params: { accountId, id },
        version,
        body: { url, events: events && pickEvents(ACCOUNT_EVENT_TYPES, events), isActive },
      })
    : call('PUT /accounts/:accountId/channels/:channelId/webhooks/:id', {
        params: { accountId, channelId, id },
        version,
        body: {
          url,
          events: events && pickEvents(CHANNEL_EVENT_TYPES, events),
          isActive,
          ...(verifyToken && { verifyToken }),
        },
      });
}

type FormatFields = Omit<WebhookDraft, 'url' | 'events'>;

function toFormatFields(draft: FormatFields) {
  const { format, verifyToken, appSecret } = draft;
  if (format === 'standard') return {};
  return format === 'twilio' ? toTwilioFields(draft) : { format, verifyToken, ...(appSecret && { appSecret }) };
}

function toTwilioFields({ authToken }: FormatFields) {
  return { format: 'twilio' as const, ...(authToken && { authToken }) };
}

function pickEvents<Event extends string>(allowed: readonly Event[], selected: readonly string[]): Event[] {
  return allowed.filter((event) => selected.includes(event));
}

export function deleteWebhook(owner: WebhookOwner, id: string) {
  const { base, params } = webhookEndpoint(owner);
  return call(`DELETE ${base}/:id`, { params: { ...params, id } });
}

export function testWebhook(owner: WebhookOwner, id: string) {
  const { base, params } = webhookEndpoint(owner);
  return call(`POST ${base}/:id/test`, { params: { ...params, id } });
}

export function rotateSecret(owner: WebhookOwner, id: string) {
  const { base, params } = webhookEndpoint(owner);
  return call(`POST ${base}/:id/rotate-secret`, { params: { ...params, id } });
}

export function replayDelivery(owner: WebhookOwner, id: string, deliveryId: string) {
  const { base, params } = webhookEndpoint(owner);
  return call(`POST ${base}/:id/deliveries/:deliveryId/replay`, { params: { ...params, id, deliveryId } });
}
