import { Type } from '@sinclair/typebox';
import { readBalance, requireAccount } from '../../../accounts/accounts.js';
import { formatMoney } from '../../../accounts/money.js';
import { sidOf } from '../../../platform/text/sids.js';
import type { OptionsOf } from '../../http/options-of.js';
import { AccountPath, AccountSelfPath, accountOf, type Endpoints } from '../endpoint.js';
import { nullable, SID } from './message-schemas.js';
import { accountPath, rfc2822 } from './message-view.js';

export type AccountOptions = OptionsOf<typeof readBalance>;

/** An account, as the Account resource of Twilio's API has it. */
const AccountResource = Type.Object({
  sid: Type.String({ examples: [`AC${SID}`] }),
  friendly_name: Type.String({ examples: ['Lighthouse'] }),
  status: Type.Literal('active', { description: 'Keys of one that is switched off are refused.' }),
  type: Type.Literal('Full'),
  auth_token: Type.Null({ description: 'No key is kept as it was made.' }),
  owner_account_sid: Type.String({
    description: 'Its own: there are no accounts of accounts.',
    examples: [`AC${SID}`],
  }),
  date_created: Type.String({ description: 'RFC 2822, in UTC.', examples: ['Tue, 24 Nov 2026 08:30:00 +0000'] }),
  date_updated: nullable(Type.String(), { description: 'Null: when it was changed, the audit log tells.' }),
  uri: Type.String({ examples: [`/2010-04-01/Accounts/AC${SID}.json`] }),
  subresource_uris: Type.Object({ balance: Type.String(), messages: Type.String() }),
});

/** What an account has, as the Balance resource of Twilio's API has it. */
const BalanceResource = Type.Object({
  account_sid: Type.String({ examples: [`AC${SID}`] }),
  balance: Type.String({ description: 'In units of the currency.', examples: ['9999.98'] }),
  currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
});

/**
 * The account whose key asks (https://www.twilio.com/docs/iam/api/account), by which clients find out whether a key is good, and its
 * balance.
 */
export const accountEndpoints: Endpoints<AccountOptions> = async (app, options) => {
  app.get(
    '',
    {
      schema: {
        operationId: 'twilioFetchAccount',
        summary: "Show the account whose key asks, as Twilio's Account resource",
        params: AccountSelfPath,
        response: { 200: AccountResource },
      },
    },
    async (request) => {
      const { id, name, createdAt } = await requireAccount(options.prisma, accountOf(request).id);
      const sid = sidOf('AC', id);
      const path = accountPath(id);
      return {
        sid,
        friendly_name: name,
        status: 'active' as const,
        type: 'Full' as const,
        auth_token: null,
        owner_account_sid: sid,
        date_created: rfc2822(createdAt),
        date_updated: null,
        uri: `${path}.json`,
        subresource_uris: { balance: `${path}/Balance.json`, messages: `${path}/Messages.json` },
      };
    },
  );

  const schema = {
    operationId: 'twilioFetchBalance',
    summary: "Ask for the balance of the account, as Twilio's Balance resource",
    params: AccountPath,
    response: { 200: BalanceResource },
  };
  for (const ending of ['.json', '']) {
    app.get(`/Balance${ending}`, { schema: { ...schema, ...(ending === '' && { hide: true }) } }, async (request) => {
      const { id } = accountOf(request);
      const { balanceMicros, currency } = await readBalance(options, id);
      return { account_sid: sidOf('AC', id), balance: formatMoney(balanceMicros), currency };
    });
  }
};
