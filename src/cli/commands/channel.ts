import { type Command, Option } from 'commander';
import { requireType } from '../../carriers/setup/carriers.js';
import { parseSettings, type SettingValues } from '../../carriers/setup/settings.js';
import { Simulator } from '../../carriers/simulator/simulator.js';
import { changeChannel, createChannel, listChannels, requireChannel } from '../../features/channels/channels.js';
import type { PrismaClient } from '../../platform/generated/prisma/client.js';
import type { CliContext } from '../context.js';
import { collect, print, table } from '../output.js';
import { withStore } from '../store.js';
import { carrierTypes } from './carrier.js';

interface CreateOptions {
  account: string;
  name: string;
  phone: string;
  kind: 'sms' | 'whatsapp';
  carrier: string;
  default: boolean;
  set: string[];
}

interface SetOptions {
  carrier?: string;
  set: string[];
  unset: string[];
  on?: boolean;
  off?: boolean;
}

const SET = ['--set <name=value>', 'what its carrier must know of it; may be given again', collect, []] as const;

/** `heliograph channel …`: a channel is a number that an account sends from. */
export function addChannelCommands(program: Command, context: CliContext): void {
  const types = carrierTypes(context);
  const channel = program.command('channel').description('numbers that accounts send from');

  channel
    .command('create')
    .description('make a channel')
    .requiredOption('--account <account-id>', 'whose it is')
    .requiredOption('--name <name>', 'shown to clients')
    .requiredOption('--phone <digits>', 'its number, with country code and without a plus sign')
    .addOption(new Option('--kind <kind>', 'what it carries').choices(['sms', 'whatsapp']).default('whatsapp'))
    .option('--carrier <name>', 'who carries it: the simulator, or a carrier that is set up', Simulator.carrierName)
    .option(...SET)
    .option('--default', 'send what names no channel; one per account and kind', false)
    .action(async ({ account: accountId, phone, default: isDefault, ...rest }: CreateOptions, command: Command) => {
      const { set, ...options } = rest;
      const made = await withStore(context, async (prisma) => {
        const carrierSettings = await readSettings(prisma, options.carrier, set);
        const input = { ...options, accountId, phoneNumber: phone, isDefault, carrierSettings };
        return createChannel(prisma, input, types);
      });
      const { id, kind, name, phoneNumber, carrier } = made;
      print(
        context,
        command,
        { id, accountId, kind, name, phoneNumber, carrier, isDefault },
        `Channel ${id} (${name}, ${phoneNumber}) was made.`,
      );
    });

  channel
    .command('set')
    .description('give a channel another carrier or other settings, or switch it on or off')
    .argument('<channel-id>')
    .option('--carrier <name>', 'who carries it from now on')
    .option(...SET)
    .option('--unset <name>', 'a setting that is taken away', collect, [])
    .option('--on', 'let it send')
    .addOption(new Option('--off', 'let it send nothing').conflicts('on'))
    .action(async (id: string, { carrier, set, unset, on, off }: SetOptions, command: Command) => {
      const isActive = on ? true : off ? false : undefined;
      const changed = await withStore(context, async (prisma) => {
        const name = carrier ?? (await requireChannel(prisma, id)).carrier;
        const values = await readSettings(prisma, name, set);
        return changeChannel(prisma, id, { carrier, set: values, unset, isActive }, types);
      });
      const result = { id, carrier: changed.carrier, isActive: changed.isActive };
      print(context, command, result, `Channel ${id} was changed.`);
    });

  async function readSettings(prisma: PrismaClient, carrier: string, pairs: string[]): Promise<SettingValues> {
    const row = await prisma.carrier.findUnique({ where: { name: carrier } });
    return parseSettings(row ? requireType(row.type, types).channelSettings : undefined, pairs);
  }

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
        carrierSettings: each.carrierSettings as SettingValues as Record<string, string> | null,
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
