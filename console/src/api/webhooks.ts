import { queryOptions } from '@tanstack/react-query';
import type {
  DeliveryView,
  WebhookView,
  WebhookWithSecretView,
} from '../../../src/surfaces/admin/endpoints/webhooks-schemas.js';
import { get, send, sendVersioned } from './request.js';

export type Webhook = WebhookView;
export type WebhookWithSecret = WebhookWithSecretView;
export type Delivery = DeliveryView;

/** Whose webhooks: a channel's, or with null the whole account's. */
export interface WebhookPlace {
  accountId: string;
  channelId: string | null;
}

/** What may be asked of a webhook of either kind; the server checks it too. */
export const CHANNEL_EVENTS = [
  'message.received',
  'message.status',
  'contact.updated',
  'contact.deleted',
  'automation.completed',
] as const;
export const ACCOUNT_EVENTS = ['message.received', 'message.status', 'account.balance_low'] as const;

export interface WebhookDraft {
  url: string;
  events: string[];
}

/** Milliseconds between looks at a log whose newest deliveries are under way. */
export const LOOK_MS = 2_000;

export const webhooksPath = ({ accountId, channelId }: WebhookPlace) =>
  channelId === null ? `/accounts/${accountId}/webhooks` : `/accounts/${accountId}/channels/${channelId}/webhooks`;
export const webhooksKey = ({ accountId, channelId }: WebhookPlace) => ['webhooks', accountId, channelId] as const;

export const webhooksQuery = (place: WebhookPlace) =>
  queryOptions({
    queryKey: webhooksKey(place),
    queryFn: ({ signal }) => get<Webhook[]>(webhooksPath(place), undefined, signal),
  });

export const webhookQuery = (place: WebhookPlace, id: string) =>
  queryOptions({
    queryKey: [...webhooksKey(place), id],
    queryFn: ({ signal }) => get<Webhook>(`${webhooksPath(place)}/${id}`, undefined, signal),
  });

export const createWebhook = (place: WebhookPlace, draft: WebhookDraft) =>
  send<WebhookWithSecret>('POST', webhooksPath(place), draft);

export const updateWebhook = (
  place: WebhookPlace,
  { id, version }: Pick<Webhook, 'id' | 'version'>,
  changes: Partial<WebhookDraft> & { isActive?: boolean },
) => sendVersioned<Webhook>('PUT', `${webhooksPath(place)}/${id}`, version, changes);

export const deleteWebhook = (place: WebhookPlace, id: string) =>
  send<object>('DELETE', `${webhooksPath(place)}/${id}`);

export const testWebhook = (place: WebhookPlace, id: string) =>
  send<Delivery>('POST', `${webhooksPath(place)}/${id}/test`);

export const rotateSecret = (place: WebhookPlace, id: string) =>
  send<WebhookWithSecret>('POST', `${webhooksPath(place)}/${id}/rotate-secret`);

export const replayDelivery = (place: WebhookPlace, id: string, deliveryId: string) =>
  send<Delivery>('POST', `${webhooksPath(place)}/${id}/deliveries/${deliveryId}/replay`);
