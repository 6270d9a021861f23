import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { readBalance } from '../../../accounts/accounts.js';
import { moneyToNumber } from '../../../accounts/money.js';
import { findAccountMessage } from '../../../messages/status/find-message.js';
import { statusChangedAt } from '../../../messages/status/status.js';
import { AppError } from '../../../platform/errors/app-error.js';
import type { OptionsOf } from '../../http/options-of.js';
import { destinationOf } from '../long-answer.js';
import { noted } from './notes-schemas.js';
import { BalanceAnswer, errorsV1, errorsV2, READ_ERRORS, SmsStatusAnswer, SmsStatusParams } from './v1-schemas.js';

export type StatusAndBalanceOptions = OptionsOf<typeof findAccountMessage | typeof readBalance>;

const SECURITY = [{ bearer: [] }];
/** Clients of the original service also ask for the balance by POST, with or without an empty object as body. */
const POST_ERRORS = [...READ_ERRORS, 413, 415] as const;

/**
 * The status of a message and the balance of the account, for either version of Surface A. Both versions have the response
 * bodies of version 1.0; errors have the shape of the version.
 */
export const statusAndBalance: FastifyPluginAsyncTypebox<StatusAndBalanceOptions & { version: 1 | 2 }> = async (
  app,
  { version, ...options },
) => {
  const errorsOfVersion = version === 1 ? errorsV1 : errorsV2;
  /** Operation IDs and summaries are unique in the OpenAPI document. */
  const suffix = version === 1 ? '' : 'V2';
  const inVersion = version === 1 ? '' : ' (v2)';

  app.get(
    '/sms/status/:message_id',
    {
      schema: {
        operationId: `smsStatus${suffix}`,
        tags: ['SMS'],
        summary: `Get the delivery status of a message${inVersion}`,
        security: SECURITY,
        params: SmsStatusParams,
        response: { 200: SmsStatusAnswer, ...errorsOfVersion([...READ_ERRORS, 404]) },
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

  const showBalance = async (accountId: string) => {
    const account = await readBalance(options, accountId);
    return {
      status: 'success' as const,
      balance: moneyToNumber(account.balanceMicros),
      currency: account.currency,
      last_updated: account.balanceChangedAt.toISOString(),
    };
  };
  const balanceSchema = { tags: ['Account'], security: SECURITY };

  app.get(
    '/account/balance',
    {
      schema: {
        ...balanceSchema,
        operationId: `accountBalance${suffix}`,
        summary: `Get the balance of the account${inVersion}`,
        response: { 200: BalanceAnswer, ...errorsOfVersion(READ_ERRORS) },
      },
    },
    ({ credential }) => showBalance(credential.account.id),
  );

  app.post(
    '/account/balance',
    {
      schema: {
        ...balanceSchema,
        operationId: `accountBalanceByPost${suffix}`,
        summary: `Get the balance of the account by POST${inVersion}`,
        description: 'The same as GET. A body may be left out, and is ignored.',
        response: { 200: BalanceAnswer, ...errorsOfVersion(POST_ERRORS) },
      },
    },
    ({ credential }) => showBalance(credential.account.id),
  );
};
