import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { readBalance } from '../../../accounts/accounts.js';
import { moneyToNumber } from '../../../accounts/money.js';
import { findAccountMessage } from '../../../messages/status/find-message.js';
import { getStatusTime } from '../../../messages/status/status.js';
import { notFound } from '../../../platform/errors/app-error.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { toDestination } from '../long-answer.js';
import { presentNotes } from './notes-schemas.js';
import { BalanceAnswer, errorsV1, errorsV2, READ_ERRORS, SmsStatusAnswer, SmsStatusParams } from './v1-schemas.js';

export type StatusAndBalanceOptions = UseCaseOptions<typeof findAccountMessage | typeof readBalance>;

const SECURITY = [{ bearer: [] }];
/** Clients of the original service also read the balance by POST, with or without an empty object as body. */
const POST_ERRORS = [...READ_ERRORS, 413, 415] as const;

/** Successful responses have the shape of version 1.0 in both versions of the API, but each version has its own error shape. */
export const statusAndBalance: FastifyPluginAsyncTypebox<StatusAndBalanceOptions & { version: 1 | 2 }> = async (
  app,
  { version, ...options },
) => {
  const errorsOfVersion = version === 1 ? errorsV1 : errorsV2;
  /** Keeps operation IDs and summaries unique in the OpenAPI document. */
  const operationSuffix = version === 1 ? '' : 'V2';
  const versionLabel = version === 1 ? '' : ' (v2)';

  app.get(
    '/sms/status/:message_id',
    {
      schema: {
        operationId: `smsStatus${operationSuffix}`,
        tags: ['SMS'],
        summary: `Get the delivery status of a message${versionLabel}`,
        security: SECURITY,
        params: SmsStatusParams,
        response: { 200: SmsStatusAnswer, ...errorsOfVersion([...READ_ERRORS, 404]) },
      },
    },
    async (request) => {
      const { account } = request.credential;
      const message = await findAccountMessage(options, account.id, request.params.message_id);
      if (!message) throw notFound('message', 'message_id');
      return {
        status: message.status,
        message_id: message.id,
        ...toDestination({
          digits: message.recipient,
          plus: message.recipientPlus,
          contactId: message.contactId ?? undefined,
        }),
        timestamp: getStatusTime(message).toISOString(),
        ...presentNotes(message),
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
        operationId: `accountBalance${operationSuffix}`,
        summary: `Get the balance of the account${versionLabel}`,
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
        operationId: `accountBalanceByPost${operationSuffix}`,
        summary: `Get the balance of the account by POST${versionLabel}`,
        description: 'The same as GET. The body is optional and ignored.',
        response: { 200: BalanceAnswer, ...errorsOfVersion(POST_ERRORS) },
      },
    },
    ({ credential }) => showBalance(credential.account.id),
  );
};
