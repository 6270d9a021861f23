import type { Command } from 'commander';
import { createChannelKey, listChannelKeys, revokeChannelKey } from '../../accounts/keys.js';
import type { CliContext } from '../context.js';
import { print, table } from '../output.js';
import { withStore } from '../store.js';

interface CreateOptions {
  account: string;
  name: string;
  channel: string[];
  scope: string[];
}

/** `heliograph key …`: keys of Surface B, each with a secret and bound to channels. */
export function addKeyCommands(program: Command, context: CliContext): void {
  const key = program.command('key').description('keys of Surface B (/api/v1), bound to channels');

  key
    .command('create')
    .description('make a key and its secret, shown this once')
    .requiredOption('--account <account-id>', 'whose it is')
    .requiredOption('--name <name>', 'what it is for')
    .requiredOption('--channel <channel-id...>', 'the channels that it may act for')
    .option('--scope <scope...>', 'what the key allows, such as messages:send', ['full'])
    .action(async ({ account: accountId, name, channel, scope }: CreateOptions, command: Command) => {
      const input = { accountId, name, scopes: scope, channelIds: channel };
      const made = await withStore(context, (prisma) => createChannelKey(prisma, input));
      print(
        context,
        command,
        { id: made.id, accountId, name, scopes: scope, channelIds: channel, key: made.key, secret: made.secret },
        [
          `Key ${made.id} was made. It is shown this once:`,
          `X-API-Key     ${made.key}`,
          `X-API-Secret  ${made.secret}`,
          ...channel.map((id) => `X-Channel-Id  ${id}`),
        ].join('\n'),
      );
    });

  key
    .command('list')
    .description('all keys, revoked ones included')
    .option('--account <account-id>', 'of one account only')
    .action(async ({ account }: { account?: string }, command: Command) => {
      const keys = (await withStore(context, (prisma) => listChannelKeys(prisma, account))).map((each) => ({
        id: each.id,
        accountId: each.accountId,
        name: each.name,
        scopes: each.scopes,
        channelIds: each.channelIds,
        lastFour: each.lastFour,
        createdAt: each.createdAt.toISOString(),
        revokedAt: each.revokedAt?.toISOString() ?? null,
      }));
      const rows = keys.map((each) => [
        each.id,
        each.accountId,
        each.name,
        each.scopes.join(','),
        `…${each.lastFour}`,
        each.revokedAt ?? '',
        each.channelIds.join(','),
      ]);
      const heading = ['ID', 'ACCOUNT', 'NAME', 'SCOPES', 'KEY', 'REVOKED', 'CHANNELS'];
      print(context, command, keys, table(heading, rows));
    });

  key
    .command('revoke')
    .description('end a key for good; running servers refuse it within two seconds')
    .argument('<key-id>')
    .action(async (id: string, _options: object, command: Command) => {
      await withStore(context, (prisma) => revokeChannelKey(prisma, id));
      print(context, command, { id, revoked: true }, `Key ${id} is revoked.`);
    });
}
