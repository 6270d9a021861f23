import type { FastifyReply } from 'fastify';
import type { AccountRef, KeyAccount } from '../../../accounts/account-ref.js';
import { requireSenderId } from '../../../accounts/account-settings.js';
import type { IdempotencyKey } from '../../../accounts/idempotency/idempotency.js';
import type { PhoneValidation } from '../../../carriers/numbers/phone-numbers.js';
import type { ContactLinkingAcceptor } from '../../../features/conversations/sending/contact-linking-acceptor.js';
import type { CallbackEndpoints } from '../../../features/webhooks/callbacks/endpoints.js';
import { withCallback } from '../../../messages/compose/notes.js';
import type { Acceptance, SendRequest } from '../../../messages/compose/send-request.js';
import type { WhatsappDirectory } from '../../../messages/compose/v2.js';
import type { Clock } from '../../../platform/clock.js';
import { AppError } from '../../../platform/errors/app-error.js';
import type { Turns } from '../../../platform/turns.js';
import { markReplayed } from '../../http/idempotency-key.js';
import { readOrigin } from '../../http/origin.js';

export type Callbacks = Pick<CallbackEndpoints, 'resolve' | 'check'>;

export interface SmsSendOptions {
  sends: Pick<ContactLinkingAcceptor, 'accept' | 'replay'>;
  clock: Clock;
  turns: Turns;
  phoneValidation: PhoneValidation;
  smsMaxChars: number;
  /** Returns the carrier for an SMS that no carrier route matches. */
  smsCarrierName(): string;
  callbacks: Callbacks;
}

export interface SendOptions extends SmsSendOptions {
  directory: WhatsappDirectory;
}

/** @throws {AppError} INVALID_REQUEST for a sender ID that the account may not use, or a forbidden callback URL */
export async function completeSend(
  request: SendRequest,
  account: KeyAccount,
  callbacks: Callbacks,
  url: string | undefined,
): Promise<SendRequest> {
  checkSenders(account, request);
  return url === undefined ? request : withCallback(request, await callbacks.resolve(request.account.id, url));
}

/** @throws {AppError} INVALID_REQUEST on `from` or `fallback.from` */
export function checkSenders({ senderIds }: KeyAccount, { kind, sender, content }: SendRequest): void {
  if (kind === 'sms') requireSenderId(senderIds, sender, 'from');
  if (content?.fallback) requireSenderId(senderIds, content.fallback.from, 'fallback.from');
}

export async function acceptSend(
  sends: SmsSendOptions['sends'],
  request: SendRequest,
  reply: FastifyReply,
): Promise<Acceptance> {
  // The request is changed in place, because copying it with a spread would cost 10 % of the CPU time of a send.
  request.origin = readOrigin(reply.request);
  const acceptance = await sends.accept(request);
  reply.request.accepted = acceptance.messages;
  if (acceptance.replayed) markReplayed(reply);
  return acceptance;
}

/**
 * A repeated request gets the first response even if a rule now refuses the request, for example because a template was paused.
 * @throws `error` if the idempotency key has no response
 */
export async function replayOrThrow(
  sends: SmsSendOptions['sends'],
  account: AccountRef,
  key: IdempotencyKey | null,
  reply: FastifyReply,
  error: unknown,
): Promise<Acceptance> {
  const earlierAcceptance = key && error instanceof AppError ? await sends.replay(account, key) : null;
  if (!earlierAcceptance) throw error;
  markReplayed(reply);
  return earlierAcceptance;
}
