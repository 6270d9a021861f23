import type { Command } from 'commander';
import { createAppKey, listApps, revokeApp } from '../../../accounts/keys.js';
import { toSid } from '../../../platform/text/sids.js';
import { addList, addRemoval } from '../../actions.js';
import { withChange } from '../../change.js';
import type { CliContext } from '../../context.js';
import { ACCOUNT_FILTER } from '../../options.js';
import { pick, print } from '../../output.js';
import { formatKeyState, KEY_COLUMNS, revokeForAudit } from './key-rows.js';

export function addAppCommands(program: Command, context: CliContext): void {
  const app = program.command('app').description('API keys of Surface A (/v1.0 and /v2)');

  app
    .command('create')
    .description('create a key, which is shown only once')
    .argument('<account-id>')
    .argument('<name>')
    .option('--scope <scope...>', 'what the key allows', ['rest'])
    .action(async (accountId: string, name: string, { scope }: { scope: string[] }, command: Command) => {
      const { id, key } = await withChange(
        context,
        (prisma) => createAppKey(prisma, { accountId, name, scopes: scope }),
        (created) => ({ action: 'app.create', accountId, subject: created.id, after: { name, scopes: scope } }),
      );
      print(
        context,
        command,
        { id, accountId, name, scopes: scope, key, accountSid: toSid('AC', accountId), keySid: toSid('SK', id) },
        `Created app ${id}. Its key is shown only once:\n${key}\n` +
          `For Twilio's SDKs it is the auth token of the account SID ${toSid('AC', accountId)}.`,
      );
    });

  addList(app, context, {
    description: 'list all keys, including revoked ones',
    find: async (prisma, { account }: { account?: string }) =>
      (await listApps(prisma, account)).map((key) => ({
        ...pick(key, 'id', 'accountId', 'name', 'scopes'),
        ...formatKeyState(key),
      })),
    columns: KEY_COLUMNS,
  }).option(...ACCOUNT_FILTER);

  addRemoval(app, context, 'revoke', {
    noun: 'App',
    description: 'revoke a key for good; running servers reject it within two seconds',
    perform: revokeForAudit(revokeApp),
  });
}
