import type { Command } from 'commander';
import { createAppKey, listApps, revokeApp } from '../../../accounts/keys.js';
import { sidOf } from '../../../platform/text/sids.js';
import { addAct, addList } from '../../actions.js';
import { withChange } from '../../change.js';
import type { CliContext } from '../../context.js';
import { OF_ACCOUNT } from '../../options.js';
import { pick, print } from '../../output.js';
import { endedKey, KEY_COLUMNS, keyState } from './key-rows.js';

/** `heliograph app …`: an app is a Surface A key. */
export function addAppCommands(program: Command, context: CliContext): void {
  const app = program.command('app').description('keys of Surface A (/v1.0 and /v2)');

  app
    .command('create')
    .description('make a key, shown this once')
    .argument('<account-id>')
    .argument('<name>')
    .option('--scope <scope...>', 'what the key allows', ['rest'])
    .action(async (accountId: string, name: string, { scope }: { scope: string[] }, command: Command) => {
      const { id, key } = await withChange(
        context,
        (prisma) => createAppKey(prisma, { accountId, name, scopes: scope }),
        (made) => ({ action: 'app.create', accountId, subject: made.id, after: { name, scopes: scope } }),
      );
      print(
        context,
        command,
        { id, accountId, name, scopes: scope, key, accountSid: sidOf('AC', accountId), keySid: sidOf('SK', id) },
        `App ${id} was made. Its key is shown this once:\n${key}\n` +
          `For Twilio's SDKs it is the auth token of the account SID ${sidOf('AC', accountId)}.`,
      );
    });

  addList(app, context, {
    description: 'all keys, revoked ones included',
    find: async (prisma, { account }: { account?: string }) =>
      (await listApps(prisma, account)).map((each) => ({
        ...pick(each, 'id', 'accountId', 'name', 'scopes'),
        ...keyState(each),
      })),
    columns: KEY_COLUMNS,
  }).option(...OF_ACCOUNT);

  addAct(app, context, 'revoke', {
    what: 'App',
    description: 'end a key for good; running servers refuse it within two seconds',
    perform: endedKey(revokeApp),
  });
}
