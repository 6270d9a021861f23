import { Type } from '@sinclair/typebox';
import { readBalance, requireAccount } from '../../../accounts/accounts.js';
import { formatMoney } from '../../../accounts/money.js';
import { toSid } from '../../../platform/text/sids.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { AccountPath, AccountSelfPath, type Endpoints, requestAccount } from '../endpoint.js';
import { nullable, SID } from './message-schemas.js';
import { buildAccountPath, formatRfc2822 } from './message-view.js';

export type AccountOptions = UseCaseOptions<typeof readBalance>;

const AccountResource = Type.Object({
  sid: Type.String({ examples: [`AC${SID}`] }),
  friendly_name: Type.String({ examples: ['Lighthouse'] }),
  status: Type.Literal('active', { description: 'Always `active`: keys of a disabled account are refused.' }),
  type: Type.Literal('Full'),
  auth_token: Type.Null({ description: 'Always null: keys are stored only as hashes.' }),
  owner_account_sid: Type.String({
    description: 'The account itself: there are no subaccounts.',
    examples: [`AC${SID}`],
  }),
  date_created: Type.String({ description: 'RFC 2822, in UTC.', examples: ['Tue, 24 Nov 2026 08:30:00 +0000'] }),
  date_updated: nullable(Type.String(), { description: 'Always null; see the audit log for changes.' }),
  uri: Type.String({ examples: [`/2010-04-01/Accounts/AC${SID}.json`] }),
  subresource_uris: Type.Object({ balance: Type.String(), messages: Type.String() }),
});

const BalanceResource = Type.Object({
  account_sid: Type.String({ examples: [`AC${SID}`] }),
  balance: Type.String({ description: 'In units of the currency.', examples: ['9999.98'] }),
  currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
});

/** Clients read the account to check an API key (https://www.twilio.com/docs/iam/api/account). */
export const accountEndpoints: Endpoints<AccountOptions> = async (app, options) => {
  app.get(
    '',
    {
      schema: {
        operationId: 'twilioFetchAccount',
        summary: "Get the account, as Twilio's Account resource",
        params: AccountSelfPath,
        response: { 200: AccountResource },
      },
    },
    async (request) => {
      const { id, name, createdAt } = await requireAccount(options.prisma, requestAccount(request).id);
      const sid = toSid('AC', id);
      const path = buildAccountPath(id);
      return {
        sid,
        friendly_name: name,
        status: 'active' as const,
        type: 'Full' as const,
        auth_token: null,
        owner_account_sid: sid,
        date_created: formatRfc2822(createdAt),
        date_updated: null,
        uri: `${path}.json`,
        subresource_uris: { balance: `${path}/Balance.json`, messages: `${path}/Messages.json` },
      };
    },
  );

  const schema = {
    operationId: 'twilioFetchBalance',
    summary: "Get the balance of the account, as Twilio's Balance resource",
    params: AccountPath,
    response: { 200: BalanceResource },
  };
  for (const suffix of ['.json', '']) {
    app.get(`/Balance${suffix}`, { schema: { ...schema, ...(suffix === '' && { hide: true }) } }, async (request) => {
      const { id } = requestAccount(request);
      const { balanceMicros, currency } = await readBalance(options, id);
      return { account_sid: toSid('AC', id), balance: formatMoney(balanceMicros), currency };
    });
  }
};
