import type { Command } from 'commander';
import { createAppKey, listApps, revokeApp } from '../../accounts/keys.js';
import type { CliContext } from '../context.js';
import { print, table } from '../output.js';
import { withStore } from '../store.js';

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
      const { id, key } = await withStore(context, (prisma) =>
        createAppKey(prisma, { accountId, name, scopes: scope }),
      );
      print(
        context,
        command,
        { id, accountId, name, scopes: scope, key },
        `App ${id} was made. Its key is shown this once:\n${key}`,
      );
    });

  app
    .command('list')
    .description('all keys, revoked ones included')
    .option('--account <account-id>', 'of one account only')
    .action(async ({ account }: { account?: string }, command: Command) => {
      const apps = (await withStore(context, (prisma) => listApps(prisma, account))).map((each) => ({
        id: each.id,
        accountId: each.accountId,
        name: each.name,
        scopes: each.scopes,
        lastFour: each.lastFour,
        createdAt: each.createdAt.toISOString(),
        revokedAt: each.revokedAt?.toISOString() ?? null,
      }));
      const rows = apps.map((each) => [
        each.id,
        each.accountId,
        each.name,
        each.scopes.join(','),
        `…${each.lastFour}`,
        each.revokedAt ?? '',
      ]);
      print(context, command, apps, table(['ID', 'ACCOUNT', 'NAME', 'SCOPES', 'KEY', 'REVOKED'], rows));
    });

  app
    .command('revoke')
    .description('end a key for good; running servers refuse it within seconds')
    .argument('<app-id>')
    .action(async (id: string, _options: object, command: Command) => {
      await withStore(context, (prisma) => revokeApp(prisma, id));
      print(context, command, { id, revoked: true }, `App ${id} is revoked.`);
    });
}
