import type { Command } from 'commander';
import { buildBearerToken, createChannelKey, listChannelKeys, revokeChannelKey } from '../../../accounts/keys.js';
import { addList, addRemoval } from '../../actions.js';
import { withChange } from '../../change.js';
import type { CliContext } from '../../context.js';
import { ACCOUNT_FILTER } from '../../options.js';
import { pick, print } from '../../output.js';
import { formatKeyState, KEY_COLUMNS, type KeyRow, revokeForAudit } from './key-rows.js';

interface CreateOptions {
  account: string;
  name: string;
  channel: string[];
  scope: string[];
}

/** Keys of Surface B. */
export function addKeyCommands(program: Command, context: CliContext): void {
  const key = program.command('key').description('API keys of Surface B (/api/v1), bound to channels');

  key
    .command('create')
    .description('create a key with a secret, both shown only once')
    .requiredOption('--account <account-id>', 'the account that owns it')
    .requiredOption('--name <name>', 'what the key is for')
    .requiredOption('--channel <channel-id...>', 'the channels it may use')
    .option('--scope <scope...>', 'what the key allows, such as messages:send', ['full'])
    .action(async ({ account: accountId, name, channel, scope }: CreateOptions, command: Command) => {
      const input = { accountId, name, scopes: scope, channelIds: channel };
      const created = await withChange(
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
          id: created.id,
          accountId,
          name,
          scopes: scope,
          channelIds: channel,
          key: created.key,
          secret: created.secret,
          token: buildBearerToken(created),
        },
        [
          `Created key ${created.id}. It is shown only once:`,
          `X-API-Key     ${created.key}`,
          `X-API-Secret  ${created.secret}`,
          ...channel.map((id) => `X-Channel-Id  ${id}`),
          `For clients of Meta's Cloud API (/graph), as one token: ${buildBearerToken(created)}`,
        ].join('\n'),
      );
    });

  addList(key, context, {
    description: 'list all keys, including revoked ones',
    find: async (prisma, { account }: { account?: string }) =>
      (await listChannelKeys(prisma, account)).map((channelKey) => ({
        ...pick(channelKey, 'id', 'accountId', 'name', 'scopes', 'channelIds'),
        ...formatKeyState(channelKey),
      })),
    columns: { ...KEY_COLUMNS, CHANNELS: ({ channelIds }: KeyRow & { channelIds: string[] }) => channelIds.join(',') },
  }).option(...ACCOUNT_FILTER);

  addRemoval(key, context, 'revoke', {
    noun: 'Key',
    description: 'revoke a key for good; running servers reject it within two seconds',
    perform: revokeForAudit(revokeChannelKey),
  });
}
