import type { WebhookEventType } from '../../../messages/events/webhook-events.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { checkStandardInput } from '../meta/rules.js';

/** The events that Twilio has a form for. */
export const TWILIO_EVENTS = ['message.received', 'message.status'] as const satisfies WebhookEventType[];

/** @throws {AppError} INVALID_REQUEST for what a webhook in Twilio's format cannot be told, and for what only Meta's has */
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

/** @throws {AppError} INVALID_REQUEST for an event that Twilio has no form for */
export function checkTwilioEvents(events: readonly WebhookEventType[]): void {
  const at = events.findIndex((event) => !(TWILIO_EVENTS as readonly string[]).includes(event));
  if (at !== -1) {
    throw invalidField(`events[${at}]`, `must be one of ${TWILIO_EVENTS.join(', ')} where format is twilio`);
  }
}
