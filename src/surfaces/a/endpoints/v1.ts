import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { readBalance } from '../../../accounts/accounts.js';
import { moneyToNumber } from '../../../accounts/money.js';
import { composeSms } from '../../../messages/compose/v1.js';
import { findAccountMessage } from '../../../messages/status/find-message.js';
import { statusChangedAt } from '../../../messages/status/status.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { idempotencyClaim } from '../../http/idempotency-key.js';
import type { OptionsOf } from '../../http/options-of.js';
import { acceptSend, composeFor, type SmsSendOptions } from '../../resources/sends/accept-send.js';
import { answerV1 } from '../answers.js';
import { destinationOf } from '../long-answer.js';
import { noted } from './notes-schemas.js';
import {
  BalanceAnswer,
  errorsV1,
  READ_ERRORS,
  SEND_ERRORS,
  SmsSendAnswer,
  SmsStatusAnswer,
  SmsStatusParams,
  smsSendBody,
} from './v1-schemas.js';

export type EndpointsV1Options = OptionsOf<typeof findAccountMessage | typeof readBalance> & SmsSendOptions;

const SECURITY = [{ bearer: [] }];

/** The operations of version 1.0, below `/v1.0`. */
export const endpointsV1: FastifyPluginAsyncTypebox<EndpointsV1Options> = async (app, options) => {
  const { sends, clock, turns, phoneValidation, smsCarrierName, callbacks } = options;

  app.post(
    '/sms/send',
    {
      config: { idempotent: true },
      schema: {
        operationId: 'sendSms',
        tags: ['SMS'],
        summary: 'Send an SMS to one or several numbers',
        description:
          'All or nothing: one bad number refuses the request, and nothing is queued. An optional field that is null ' +
          'counts as absent.',
        security: SECURITY,
        body: smsSendBody(options.smsMaxChars),
        response: { 200: SmsSendAnswer, ...errorsV1(SEND_ERRORS) },
      },
    },
    async (request, reply) => {
      const { account } = request.credential;
      const idempotencyKey = idempotencyClaim(request, 'POST /v1.0/sms/send');
      const carrier = smsCarrierName();
      const context = { account, carrier, idempotencyKey, phoneValidation, now: clock.now(), turns };
      const compose = () =>
        composeFor(account, callbacks, request.body.callback_url, () => composeSms(request.body, context));
      const accepted = await acceptSend(sends, account, idempotencyKey, reply, compose);
      return answerV1({ reply, turns }, request.body.from, accepted);
    },
  );

  app.get(
    '/sms/status/:message_id',
    {
      schema: {
        operationId: 'smsStatus',
        tags: ['SMS'],
        summary: 'Ask for the delivery status of a message',
        security: SECURITY,
        params: SmsStatusParams,
        response: { 200: SmsStatusAnswer, ...errorsV1([...READ_ERRORS, 404]) },
      },
    },
    async (request) => {
      const { account } = request.credential;
      const message = await findAccountMessage(options, account.id, request.params.message_id);
      if (!message) throw new AppError('NOT_FOUND', 'There is no message with this message_id.');
      return {
        status: message.status,
        message_id: message.id,
        ...destinationOf({
          digits: message.recipient,
          plus: message.recipientPlus,
          contactId: message.contactId ?? undefined,
        }),
        timestamp: statusChangedAt(message).toISOString(),
        ...noted(message),
      };
    },
  );

  app.get(
    '/account/balance',
    {
      schema: {
        operationId: 'accountBalance',
        tags: ['Account'],
        summary: 'Ask for the balance of the account',
        security: SECURITY,
        response: { 200: BalanceAnswer, ...errorsV1(READ_ERRORS) },
      },
    },
    async (request) => {
      const account = await readBalance(options, request.credential.account.id);
      return {
        status: 'success' as const,
        balance: moneyToNumber(account.balanceMicros),
        currency: account.currency,
        last_updated: account.balanceChangedAt.toISOString(),
      };
    },
  );
};
