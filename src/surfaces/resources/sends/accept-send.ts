import type { FastifyReply } from 'fastify';
import type { AccountRef, KeyAccount } from '../../../accounts/account-ref.js';
import { requireSenderId } from '../../../accounts/account-settings.js';
import type { IdempotencyKey } from '../../../accounts/idempotency/idempotency.js';
import type { PhoneValidation } from '../../../carriers/numbers/phone-numbers.js';
import type { CallbackEndpoints } from '../../../features/webhooks/callbacks/endpoints.js';
import { withCallback } from '../../../messages/compose/notes.js';
import type { Acceptance, SendRequest } from '../../../messages/compose/send-request.js';
import type { WhatsappDirectory } from '../../../messages/compose/v2.js';
import type { Clock } from '../../../platform/clock.js';
import { AppError } from '../../../platform/errors/app-error.js';
import type { Turns } from '../../../platform/turns.js';
import { noteReplay } from '../../http/idempotency-key.js';
import { originOf } from '../../http/origin.js';

/** What accepts sends: the acceptor of src/messages/accept/acceptor.ts. */
export interface SendAcceptor {
  accept(request: SendRequest): Promise<Acceptance>;
  /** What a key has made; null when it has made nothing. */
  replay(account: AccountRef, claim: IdempotencyKey): Promise<Acceptance | null>;
}

/** Finds the endpoints of callback URLs: src/features/webhooks/callbacks/endpoints.ts. */
export type Callbacks = Pick<CallbackEndpoints, 'resolve' | 'check'>;

/** What an endpoint needs that sends SMS. */
export interface SmsSendOptions {
  sends: SendAcceptor;
  clock: Clock;
  turns: Turns;
  phoneValidation: PhoneValidation;
  smsMaxChars: number;
  /** The carrier of an SMS for which no route says otherwise. */
  smsCarrierName(): string;
  callbacks: Callbacks;
}

/** What an endpoint needs that sends whatever there is. */
export interface SendOptions extends SmsSendOptions {
  directory: WhatsappDirectory;
}

/**
 * Composes a send for an account: with the endpoint of its callback URL, if it has one.
 * @throws {AppError} INVALID_REQUEST for a sender ID that the account may not use, and for a URL that may not be called
 */
export async function composeFor(
  account: KeyAccount,
  callbacks: Callbacks,
  url: string | undefined,
  compose: () => Promise<SendRequest>,
): Promise<SendRequest> {
  const request = await compose();
  checkSenders(account, request);
  return url === undefined ? request : withCallback(request, await callbacks.resolve(request.account.id, url));
}

/**
 * Checks the sender IDs of a send's SMS, that of a fallback too.
 * @throws {AppError} INVALID_REQUEST on `from` or `fallback.from`
 */
export function checkSenders({ senderIds }: KeyAccount, { kind, sender, content }: SendRequest): void {
  if (kind === 'sms') requireSenderId(senderIds, sender, 'from');
  if (content?.fallback) requireSenderId(senderIds, content.fallback.from, 'fallback.from');
}

/**
 * Composes and accepts a send. A repetition is answered as its first request was, even where a rule would refuse it by
 * now, such as that of a template which has since been paused.
 */
export async function acceptSend(
  acceptor: SendAcceptor,
  account: AccountRef,
  claim: IdempotencyKey | null,
  reply: FastifyReply,
  compose: () => Promise<SendRequest>,
): Promise<Acceptance> {
  let request: SendRequest;
  try {
    request = await compose();
  } catch (error) {
    const earlier = claim && error instanceof AppError ? await acceptor.replay(account, claim) : null;
    if (!earlier) throw error;
    noteReplay(reply);
    return earlier;
  }
  // Set, not copied with one field more: that cost a tenth of what the whole send takes of the processor.
  request.origin = originOf(reply.request);
  const acceptance = await acceptor.accept(request);
  reply.request.accepted = acceptance.messages;
  if (acceptance.replayed) noteReplay(reply);
  return acceptance;
}
