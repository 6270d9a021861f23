import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { moneyToNumber } from '../../accounts/money.js';
import { composeSms } from '../../messages/compose/v1.js';
import { AppError } from '../../platform/errors.js';
import type { Message, PrismaClient } from '../../platform/generated/prisma/client.js';
import { isUuid } from '../../platform/ids.js';
import type { PhoneValidation } from '../../platform/text/phone-numbers.js';
import { writePhoneNumber } from '../../platform/text/phone-numbers.js';
import { idempotencyClaim } from '../http/idempotency-key.js';
import { acceptSend, type SendAcceptor } from './accept-send.js';
import { answerV1 } from './answers.js';
import {
  BalanceAnswer,
  errorsV1,
  READ_ERRORS,
  SEND_ERRORS,
  SmsSendAnswer,
  SmsStatusAnswer,
  SmsStatusParams,
  smsSendBody,
} from './schemas-v1.js';

export interface RoutesV1Options {
  acceptor: SendAcceptor;
  prisma: Pick<PrismaClient, 'message' | 'account'>;
  phoneValidation: PhoneValidation;
  smsMaxChars: number;
  smsCarrierName(): string;
}

const SECURITY = [{ bearer: [] }];

/** The operations of version 1.0, below `/v1.0`. */
export const routesV1: FastifyPluginAsyncTypebox<RoutesV1Options> = async (app, options) => {
  const { acceptor, prisma, phoneValidation, smsCarrierName } = options;

  app.post(
    '/sms/send',
    {
      config: { idempotent: true },
      schema: {
        operationId: 'sendSms',
        tags: ['SMS'],
        summary: 'Send an SMS to one or several numbers',
        description: 'All or nothing: one bad number refuses the request, and nothing is queued.',
        security: SECURITY,
        body: smsSendBody(options.smsMaxChars),
        response: { 200: SmsSendAnswer, ...errorsV1(SEND_ERRORS) },
      },
    },
    async (request, reply) => {
      const { account } = request.credential;
      const idempotencyKey = idempotencyClaim(request, 'POST /v1.0/sms/send');
      const context = { account, carrier: smsCarrierName(), idempotencyKey, phoneValidation };
      const compose = () => composeSms(request.body, context);
      return answerV1(await acceptSend(acceptor, account, idempotencyKey, reply, compose));
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
      const id = request.params.message_id;
      const accountId = request.credential.account.id;
      const message = isUuid(id) ? await prisma.message.findFirst({ where: { id, accountId, surface: 'a' } }) : null;
      if (!message) throw new AppError('NOT_FOUND', 'There is no message with this message_id.');
      return {
        status: message.status,
        message_id: message.id,
        to: writePhoneNumber({ digits: message.recipient, plus: message.recipientPlus }),
        timestamp: changedAt(message).toISOString(),
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
      const account = await prisma.account.findUniqueOrThrow({
        where: { id: request.credential.account.id },
        select: { balanceMicros: true, currency: true, balanceChangedAt: true },
      });
      return {
        status: 'success' as const,
        balance: moneyToNumber(account.balanceMicros),
        currency: account.currency,
        last_updated: account.balanceChangedAt.toISOString(),
      };
    },
  );
};

type StatusTimes = Pick<
  Message,
  'status' | 'createdAt' | 'sendingAt' | 'sentAt' | 'deliveredAt' | 'readAt' | 'endedAt'
>;

/** When a message took its present status. */
function changedAt(message: StatusTimes): Date {
  return timeOfStatus(message) ?? message.createdAt;
}

function timeOfStatus(message: StatusTimes): Date | null {
  switch (message.status) {
    case 'queued':
      return message.createdAt;
    case 'sending':
      return message.sendingAt;
    case 'sent':
      return message.sentAt;
    case 'delivered':
      return message.deliveredAt;
    case 'read':
      return message.readAt;
    default:
      return message.endedAt;
  }
}
