import type { WebhookEventType } from '../../../messages/events/webhook-events.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import type { WebhookFormat } from '../../../platform/generated/prisma/client.js';

export const META_EVENTS = ['message.received', 'message.status'] as const satisfies WebhookEventType[];

interface Input {
  events?: readonly WebhookEventType[];
  verifyToken?: string | undefined;
  appSecret?: string | undefined;
  authToken?: string | undefined;
}

/** @throws {AppError} INVALID_REQUEST */
export function checkMetaInput({ events = [], verifyToken, authToken }: Input): void {
  checkStandardInput({ authToken }, 'meta');
  if (verifyToken === undefined) throw invalidField('verifyToken', 'is required where format is meta');
  checkMetaEvents(events);
}

/** @throws {AppError} INVALID_REQUEST */
export function checkMetaEvents(events: readonly WebhookEventType[]): void {
  const index = events.findIndex((event) => !(META_EVENTS as readonly string[]).includes(event));
  if (index !== -1)
    throw invalidField(`events[${index}]`, `must be one of ${META_EVENTS.join(', ')} where format is meta`);
}

/** @throws {AppError} INVALID_REQUEST */
export function checkStandardInput(
  { verifyToken, appSecret, authToken }: Omit<Input, 'events'>,
  format: WebhookFormat = 'standard',
): void {
  for (const [field, value] of Object.entries({ verifyToken, appSecret, authToken })) {
    if (value !== undefined) throw invalidField(field, `must not be sent where format is ${format}`);
  }
}
