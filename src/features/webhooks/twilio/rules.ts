import type { WebhookEventType } from '../../../messages/events/webhook-events.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { checkStandardInput } from '../meta/rules.js';

export const TWILIO_EVENTS = ['message.received', 'message.status'] as const satisfies WebhookEventType[];

/** @throws {AppError} INVALID_REQUEST */
export function checkTwilioInput({
  events,
  verifyToken,
  appSecret,
}: {
  events: readonly WebhookEventType[];
  verifyToken?: string | undefined;
  appSecret?: string | undefined;
}): void {
  checkStandardInput({ verifyToken, appSecret }, 'twilio');
  checkTwilioEvents(events);
}

/** @throws {AppError} INVALID_REQUEST */
export function checkTwilioEvents(events: readonly WebhookEventType[]): void {
  const index = events.findIndex((event) => !(TWILIO_EVENTS as readonly string[]).includes(event));
  if (index !== -1) {
    throw invalidField(`events[${index}]`, `must be one of ${TWILIO_EVENTS.join(', ')} where format is twilio`);
  }
}
