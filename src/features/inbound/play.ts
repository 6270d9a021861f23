import type { InboundReport } from '../../carriers/inbound-message.js';
import { explainPhoneRule, isPhoneNumber, type PhoneValidation } from '../../carriers/numbers/phone-numbers.js';
import { isParentUserId, isUserId, USER_ID_RULE } from '../../carriers/numbers/user-ids.js';
import { getPhoneValidation } from '../../carriers/numbers/whatsapp-numbers.js';
import { Simulator } from '../../carriers/simulator/simulator.js';
import { AppError, invalidField } from '../../platform/errors/app-error.js';
import { quote } from '../../platform/errors/field-problems.js';
import type { ChannelKind } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';
import { type ReceiveOptions, receiveInbound } from './receive.js';

export const PLAYED_TYPES = [
  'text',
  'image',
  'audio',
  'video',
  'sticker',
  'document',
  'button',
  'interactive',
  'reaction',
  'location',
  'contacts',
] as const;

export interface PlayedMessage {
  /** Digits with country code; omitted for a sender without a visible number. */
  from?: string;
  userId?: string;
  parentUserId?: string;
  /** With or without `@`. */
  username?: string;
  /** Text of a message, caption of a file, or label of a tapped button. */
  text?: string;
  /** Default: a new ID. */
  id?: string;
  /** Default: `text`. */
  type?: (typeof PLAYED_TYPES)[number];
  /** The object that Meta puts in the field named after the message type. */
  payload?: object;
}

export interface PlayOptions extends ReceiveOptions {
  phoneValidation: PhoneValidation;
}

export interface PlayedChannel {
  id: string;
  accountId: string;
  kind: ChannelKind;
  phoneNumber: string;
  carrier: string;
}

/** @throws {AppError} NOT_FOUND if the channel's carrier is not the simulator */
export function requireSimulator({ carrier }: { carrier: string }): void {
  if (carrier === Simulator.carrierName) return;
  throw new AppError('NOT_FOUND', 'The carrier of this channel is not the simulator.');
}

/**
 * @throws {AppError} NOT_FOUND if the carrier is not the simulator; INVALID_REQUEST for a malformed number, an empty
 * text, or a type other than text on an SMS channel
 */
export async function playInbound(options: PlayOptions, channel: PlayedChannel, message: PlayedMessage) {
  requireSimulator(channel);
  checkSender(channel.kind, message, options.phoneValidation);
  const report = toInboundReport(message, channel.kind, options.clock.now());
  const stored = await receiveInbound(options, channel, report);
  return { ...stored, carrierMessageId: report.carrierMessageId };
}

function checkSender(
  kind: ChannelKind,
  { from, userId, parentUserId }: PlayedMessage,
  validation: PhoneValidation,
): void {
  if (from === undefined && userId === undefined && parentUserId === undefined) {
    throw invalidField('from', 'is required unless userId is sent');
  }
  if (from !== undefined && !isPhoneNumber(from, getPhoneValidation(kind, validation))) {
    throw invalidField('from', `${explainPhoneRule(from)} (it is ${quote(from)})`);
  }
  for (const [field, id, isParent] of [
    ['userId', userId, false],
    ['parentUserId', parentUserId, true],
  ] as const) {
    if (id === undefined) continue;
    if (kind === 'sms')
      throw invalidField(field, 'cannot be used on a channel that receives SMS: it is a WhatsApp user ID');
    if (!isUserId(id) || isParentUserId(id) !== isParent) throw invalidField(field, USER_ID_RULE);
  }
}

function toInboundReport(message: PlayedMessage, kind: ChannelKind, receivedAt: Date): InboundReport {
  const { from = null, userId, parentUserId, username, type = 'text' } = message;
  if (kind === 'sms' && type !== 'text') throw invalidField('type', 'must be text in an SMS channel');
  const payload = (message.payload ?? {}) as Record<string, unknown>;
  const text = message.text ?? toText(payload.caption) ?? toText(payload.text) ?? '';
  if (type === 'text' && text === '') throw invalidField('text', 'is required for the type text');
  const newCarrierId = kind === 'sms' ? `sim-${newId()}` : `wamid.${Buffer.from(newId()).toString('base64')}`;
  return {
    carrierMessageId: message.id ?? newCarrierId,
    from,
    ...(userId !== undefined && { userId }),
    ...(parentUserId !== undefined && { parentUserId }),
    ...(username !== undefined && { username: username.replace(/^@/, '') }),
    type,
    body: text,
    payload: type === 'text' && !message.payload ? { body: text } : payload,
    receivedAt,
  };
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
