import type { Command } from 'commander';
import { bearerToken, createChannelKey, listChannelKeys, revokeChannelKey } from '../../../accounts/keys.js';
import { addAct, addList } from '../../actions.js';
import { withChange } from '../../change.js';
import type { CliContext } from '../../context.js';
import { OF_ACCOUNT } from '../../options.js';
import { pick, print } from '../../output.js';
import { endedKey, KEY_COLUMNS, type KeyRow, keyState } from './key-rows.js';

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
      const made = await withChange(
        context,
        (prisma) => createChannelKey(prisma, input),
        ({ id }) => ({
          action: 'key.create',
          accountId,
          subject: id,
          after: { name, scopes: scope, channelIds: channel },
        }),
      );
      print(
        context,
        command,
        {
          id: made.id,
          accountId,
          name,
          scopes: scope,
          channelIds: channel,
          key: made.key,
          secret: made.secret,
          token: bearerToken(made),
        },
        [
          `Key ${made.id} was made. It is shown this once:`,
          `X-API-Key     ${made.key}`,
          `X-API-Secret  ${made.secret}`,
          ...channel.map((id) => `X-Channel-Id  ${id}`),
          `For clients of Meta's Cloud API (/graph), as one token: ${bearerToken(made)}`,
        ].join('\n'),
      );
    });

  addList(key, context, {
    description: 'all keys, revoked ones included',
    find: async (prisma, { account }: { account?: string }) =>
      (await listChannelKeys(prisma, account)).map((each) => ({
        ...pick(each, 'id', 'accountId', 'name', 'scopes', 'channelIds'),
        ...keyState(each),
      })),
    columns: { ...KEY_COLUMNS, CHANNELS: ({ channelIds }: KeyRow & { channelIds: string[] }) => channelIds.join(',') },
  }).option(...OF_ACCOUNT);

  addAct(key, context, 'revoke', {
    what: 'Key',
    description: 'end a key for good; running servers refuse it within two seconds',
    perform: endedKey(revokeChannelKey),
  });
}
