import { type Command, Option } from 'commander';
import { CARRIER_NAMES } from '../carriers/registry.js';
import { createChannel, listChannels } from '../channels/channels.js';
import type { CliContext } from './context.js';
import { print, table } from './output.js';
import { withStore } from './store.js';

interface CreateOptions {
  account: string;
  name: string;
  phone: string;
  kind: 'sms' | 'whatsapp';
  carrier: string;
  default: boolean;
}

/** `heliograph channel …`: a channel is a number that an account sends from. */
export function addChannelCommands(program: Command, context: CliContext): void {
  const channel = program.command('channel').description('numbers that accounts send from');

  channel
    .command('create')
    .description('make a channel')
    .requiredOption('--account <account-id>', 'whose it is')
    .requiredOption('--name <name>', 'shown to clients')
    .requiredOption('--phone <digits>', 'its number, with country code and without a plus sign')
    .addOption(new Option('--kind <kind>', 'what it carries').choices(['sms', 'whatsapp']).default('whatsapp'))
    .addOption(new Option('--carrier <name>', 'who carries it').choices(CARRIER_NAMES).default('simulator'))
    .option('--default', 'send what names no channel; one per account and kind', false)
    .action(async ({ account: accountId, phone, default: isDefault, ...options }: CreateOptions, command: Command) => {
      const input = { ...options, accountId, phoneNumber: phone, isDefault };
      const made = await withStore(context, (prisma) => createChannel(prisma, input));
      const { id, kind, name, phoneNumber, carrier } = made;
      print(
        context,
        command,
        { id, accountId, kind, name, phoneNumber, carrier, isDefault },
        `Channel ${id} (${name}, ${phoneNumber}) was made.`,
      );
    });

  channel
    .command('list')
    .description('all channels')
    .option('--account <account-id>', 'of one account only')
    .action(async ({ account }: { account?: string }, command: Command) => {
      const channels = (await withStore(context, (prisma) => listChannels(prisma, account))).map((each) => ({
        id: each.id,
        accountId: each.accountId,
        kind: each.kind,
        name: each.name,
        phoneNumber: each.phoneNumber,
        carrier: each.carrier,
        isDefault: each.isDefault,
        isActive: each.isActive,
        healthStatus: each.healthStatus,
        createdAt: each.createdAt.toISOString(),
      }));
      const rows = channels.map((each) => [
        each.id,
        each.accountId,
        each.kind,
        each.name,
        each.phoneNumber,
        each.carrier,
        each.isDefault ? 'yes' : '',
        each.isActive ? each.healthStatus : 'inactive',
      ]);
      const heading = ['ID', 'ACCOUNT', 'KIND', 'NAME', 'NUMBER', 'CARRIER', 'DEFAULT', 'HEALTH'];
      print(context, command, channels, table(heading, rows));
    });
}
