import type { FastifyRequest } from 'fastify';
import type { KeyAccount } from '../../../accounts/account-ref.js';
import type { IdempotencyKey } from '../../../accounts/idempotency/idempotency.js';
import type { PhoneValidation } from '../../../carriers/numbers/phone-numbers.js';
import type { SendRequest } from '../../../messages/compose/send-request.js';
import { composeV2, type WhatsappDirectory } from '../../../messages/compose/v2.js';
import type { SendV2Body } from '../../../messages/compose/v2-plan.js';
import type { Clock } from '../../../platform/clock.js';
import type { Turns } from '../../../platform/turns.js';
import { readOrigin } from '../../http/origin.js';
import { type Callbacks, completeSend } from './accept-send.js';

export interface ComposeCodeOptions {
  clock: Clock;
  turns: Turns;
  directory: WhatsappDirectory;
  phoneValidation: PhoneValidation;
  /** Default country (see `PlanOptions`), which only Surface A sets. */
  defaultCountry?: string | null;
  smsMaxChars: number;
  smsCarrierName(): string;
  callbacks: Callbacks;
}

/** @throws {AppError} INVALID_REQUEST under the same rules as every send */
export async function composeCode(
  {
    clock,
    turns,
    directory,
    phoneValidation,
    defaultCountry,
    smsMaxChars,
    smsCarrierName,
    callbacks,
  }: ComposeCodeOptions,
  request: FastifyRequest,
  account: KeyAccount,
  body: SendV2Body,
  idempotencyKey: IdempotencyKey | null,
): Promise<SendRequest> {
  const context = { account, smsCarrier: smsCarrierName(), idempotencyKey, now: clock.now() };
  const composed = await composeV2(body, {
    ...context,
    phoneValidation,
    defaultCountry,
    smsMaxChars,
    turns,
    directory,
    refusesUnknownTemplates: true,
  });
  const send = await completeSend(composed, account, callbacks, body.callback_url);
  send.origin = readOrigin(request);
  return send;
}
