import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import type { AccountEventType, WebhookEventType } from '../../../src/messages/events/webhook-events.js';
import type { TestAccount } from '../../support/accounts.js';
import { call } from '../../support/channel-calls.js';
import type { TestChannel } from '../../support/channels.js';
import type { TestApp } from '../../support/test-app.js';
import type { ReceivedEvent } from './sink.js';

export interface TestWebhook {
  id: string;
  secret: string;
}

export async function addWebhook(
  heliograph: TestApp,
  channel: TestChannel,
  url: string,
  events: WebhookEventType[] = ['message.status'],
): Promise<TestWebhook> {
  const response = await call(heliograph, channel, 'POST', '/webhooks', { url, events });
  expect(response.statusCode, response.body).toBe(200);
  return response.json().data;
}

export async function addAccountWebhook(
  { app }: TestApp,
  { headers }: TestAccount,
  url: string,
  events: AccountEventType[] = ['message.status'],
): Promise<TestWebhook> {
  const response = await app.inject({ method: 'POST', url: '/v2/webhooks', headers, payload: { url, events } });
  expect(response.statusCode, response.body).toBe(200);
  return response.json().data;
}

export async function sendTest(heliograph: TestApp, channel: TestChannel, { id }: { id: string }): Promise<string> {
  const response = await call(heliograph, channel, 'POST', `/webhooks/${id}/test`);
  expect(response.statusCode, response.body).toBe(200);
  return response.json().data.id;
}

export async function findLoggedDelivery(
  heliograph: TestApp,
  channel: TestChannel,
  { id }: { id: string },
  deliveryId: string,
) {
  const { deliveries } = (await call(heliograph, channel, 'GET', `/webhooks/${id}/deliveries`)).json().data;
  return deliveries.find((delivery: { id: string }) => delivery.id === deliveryId);
}

export async function bringForward({ deps }: TestApp, deliveryId: string): Promise<void> {
  await deps.prisma.webhookDelivery.updateMany({
    where: { id: deliveryId, nextAttemptAt: { not: null } },
    data: { nextAttemptAt: new Date(0) },
  });
}

export function verify(secret: string, { body, headers }: ReceivedEvent): void {
  new Webhook(secret).verify(body, headers);
}
