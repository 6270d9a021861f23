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
import { call } from './asking/call.js';

export type Webhook = WebhookView;
export type WebhookWithSecret = WebhookWithSecretView;
export type Delivery = DeliveryView;

/** Whose webhooks: a channel's, or with null the whole account's. */
export interface WebhookPlace {
  accountId: string;
  channelId: string | null;
}

/** What Meta's webhooks, and Twilio's, have a word for. */
export const WORDED_EVENTS: readonly string[] = ['message.received', 'message.status'] satisfies ChannelEventType[];

export interface WebhookDraft {
  url: string;
  events: string[];
  format: Webhook['format'];
  /** Of Meta's format; empty: as it is. */
  verifyToken: string;
  /** Of Meta's format; empty: one is made. */
  appSecret: string;
  /** Of Twilio's format; empty: one is made. */
  authToken: string;
}

/** Milliseconds between looks at a log whose newest deliveries are under way. */
export const LOOK_MS = 2_000;

/** Where the webhooks of a place are, and what stands in that path. */
export const whereOf = ({ accountId, channelId }: WebhookPlace) =>
  channelId === null
    ? ({ base: '/accounts/:accountId/webhooks', params: { accountId } } as const)
    : ({ base: '/accounts/:accountId/channels/:channelId/webhooks', params: { accountId, channelId } } as const);

export const webhooksKey = ({ accountId, channelId }: WebhookPlace) => ['webhooks', accountId, channelId] as const;

export const webhooksQuery = (place: WebhookPlace) => {
  const { base, params } = whereOf(place);
  return queryOptions({
    queryKey: webhooksKey(place),
    queryFn: ({ signal }) => call(`GET ${base}`, { params, signal }),
  });
};

export const webhookQuery = (place: WebhookPlace, id: string) => {
  const { base, params } = whereOf(place);
  return queryOptions({
    queryKey: [...webhooksKey(place), id],
    queryFn: ({ signal }) => call(`GET ${base}/:id`, { params: { ...params, id }, signal }),
  });
};

export const createWebhook = ({ accountId, channelId }: WebhookPlace, { url, events, ...more }: WebhookDraft) =>
  channelId === null
    ? call('POST /accounts/:accountId/webhooks', {
        params: { accountId },
        body: {
          url,
          events: among(ACCOUNT_EVENT_TYPES, events),
          ...(more.format === 'twilio' && twilioFieldsOf(more)),
        },
      })
    : call('POST /accounts/:accountId/channels/:channelId/webhooks', {
        params: { accountId, channelId },
        body: { url, events: among(CHANNEL_EVENT_TYPES, events), ...formatFieldsOf(more) },
      });

export function updateWebhook(
  { accountId, channelId }: WebhookPlace,
  { id, version }: Pick<Webhook, 'id' | 'version'>,
  { url, events, isActive, verifyToken }: Partial<WebhookDraft> & { isActive?: boolean },
) {
  return channelId === null
    ? call('PUT /accounts/:accountId/webhooks/:id', {
        params: { accountId, id },
        version,
        body: { url, events: events && among(ACCOUNT_EVENT_TYPES, events), isActive },
      })
    : call('PUT /accounts/:accountId/channels/:channelId/webhooks/:id', {
        params: { accountId, channelId, id },
        version,
        body: {
          url,
          events: events && among(CHANNEL_EVENT_TYPES, events),
          isActive,
          ...(verifyToken && { verifyToken }),
        },
      });
}

type FormatFields = Omit<WebhookDraft, 'url' | 'events'>;

/** What a webhook is made with beside its URL and its events. */
function formatFieldsOf(draft: FormatFields) {
  const { format, verifyToken, appSecret } = draft;
  if (format === 'standard') return {};
  return format === 'twilio' ? twilioFieldsOf(draft) : { format, verifyToken, ...(appSecret && { appSecret }) };
}

function twilioFieldsOf({ authToken }: FormatFields) {
  return { format: 'twilio' as const, ...(authToken && { authToken }) };
}

/** Those that were chosen, of those that may be. */
function among<Event extends string>(known: readonly Event[], chosen: readonly string[]): Event[] {
  return known.filter((each) => chosen.includes(each));
}

export function deleteWebhook(place: WebhookPlace, id: string) {
  const { base, params } = whereOf(place);
  return call(`DELETE ${base}/:id`, { params: { ...params, id } });
}

export function testWebhook(place: WebhookPlace, id: string) {
  const { base, params } = whereOf(place);
  return call(`POST ${base}/:id/test`, { params: { ...params, id } });
}

export function rotateSecret(place: WebhookPlace, id: string) {
  const { base, params } = whereOf(place);
  return call(`POST ${base}/:id/rotate-secret`, { params: { ...params, id } });
}

export function replayDelivery(place: WebhookPlace, id: string, deliveryId: string) {
  const { base, params } = whereOf(place);
  return call(`POST ${base}/:id/deliveries/:deliveryId/replay`, { params: { ...params, id, deliveryId } });
}
