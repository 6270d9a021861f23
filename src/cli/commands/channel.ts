import { type Command, Option } from 'commander';
import { changeOf } from '../../accounts/audit/change-of.js';
import { parseSettings, type SettingValues } from '../../carriers/settings.js';
import { typeOfCarrier } from '../../carriers/setup/carriers.js';
import { Simulator } from '../../carriers/simulator/simulator.js';
import {
  changeChannel,
  createChannel,
  findAndLockChannel,
  listChannels,
  requireChannel,
  resumeChannel,
} from '../../features/channels/channels.js';
import { type Deletion, deleteChannel, planDeletion } from '../../features/channels/delete.js';
import { findGraphIds } from '../../features/channels/graph-ids.js';
import { withHealth } from '../../features/channels/health.js';
import { systemClock } from '../../platform/system-clock.js';
import { sidOf } from '../../platform/text/sids.js';
import { addList } from '../actions.js';
import { withChange } from '../change.js';
import { type CliContext, carrierTypes } from '../context.js';
import { addSwitch, collect, OF_ACCOUNT, type Switch, wantedState } from '../options.js';
import { pick, print } from '../output.js';
import { withStore } from '../store.js';

interface CreateOptions {
  account: string;
  name: string;
  phone: string;
  kind: 'sms' | 'whatsapp';
  carrier: string;
  default: boolean;
  set: string[];
}

interface ChangeOptions extends Switch {
  carrier?: string;
  set: string[];
  unset: string[];
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
      const made = await withChange(
        context,
        async (prisma) => {
          const type = await typeOfCarrier(prisma, options.carrier, types);
          const carrierSettings = parseSettings(type?.channelSettings, set);
          const input = { ...options, accountId, phoneNumber: phone, isDefault, carrierSettings };
          return createChannel(prisma, input, types);
        },
        (channel) => ({
          action: 'channel.create',
          accountId,
          subject: channel.id,
          after: pick(channel, 'name', 'kind', 'phoneNumber', 'carrier', 'carrierSettings', 'isDefault'),
        }),
      );
      const { id, kind, name, phoneNumber, carrier } = made;
      print(
        context,
        command,
        { id, accountId, kind, name, phoneNumber, carrier, isDefault },
        `Channel ${id} (${name}, ${phoneNumber}) was made.`,
      );
    });

  const change = channel
    .command('set')
    .description('give a channel another carrier or other settings, or switch it on or off')
    .argument('<channel-id>')
    .option('--carrier <name>', 'who carries it from now on')
    .option(...SET)
    .option('--unset <name>', 'a setting that is taken away', collect, []);
  addSwitch(change, { on: 'let it send', off: 'let it send nothing' }).action(
    async (id: string, { carrier, set, unset, ...state }: ChangeOptions, command: Command) => {
      const isActive = wantedState(state);
      const { after: changed } = await withChange(
        context,
        async (prisma, pool) => {
          const before = await findAndLockChannel(prisma, id);
          const type = await typeOfCarrier(prisma, carrier ?? before.carrier, types);
          const values = parseSettings(type?.channelSettings, set);
          return {
            before,
            after: await changeChannel(
              prisma,
              pool,
              id,
              { carrier, set: values, unset, isActive, at: systemClock.now() },
              types,
            ),
          };
        },
        ({ before, after }) => {
          const [was, now] = [before, after].map((each) => pick(each, 'carrier', 'carrierSettings', 'isActive'));
          const line = changeOf('channel.change', id, was as object, now as object);
          return line && { ...line, accountId: before.accountId };
        },
      );
      const result = { id, carrier: changed.carrier, isActive: changed.isActive };
      print(context, command, result, `Channel ${id} was changed.`);
    },
  );

  channel
    .command('resume')
    .description('let a channel send again that was paused because its carrier refused the number or its account')
    .argument('<channel-id>')
    .action(async (id: string, _options: object, command: Command) => {
      const { wasPaused } = await withChange(
        context,
        async (prisma, pool) => {
          const { accountId, pauseCode } = await findAndLockChannel(prisma, id);
          return { accountId, pauseCode, ...(await resumeChannel(prisma, pool, id, systemClock.now())) };
        },
        ({ accountId, pauseCode, wasPaused: was }) =>
          was ? { action: 'channel.resume', accountId, subject: id, before: { pauseCode } } : null,
      );
      const said = wasPaused ? `Channel ${id} sends again.` : `Channel ${id} was not paused.`;
      print(context, command, { id, wasPaused }, said);
    });

  addDeleteCommand(channel, context);

  addList(channel, context, {
    description: 'all channels',
    find: async (prisma, { account, deleted }: { account?: string; deleted: boolean }) => {
      const channels = await withHealth(prisma, await listChannels(prisma, account, { deleted }));
      const graph = await findGraphIds({ prisma }, channels);
      return channels.map((each) => ({
        ...pick(each, 'id', 'accountId', 'kind', 'name', 'phoneNumber', 'carrier'),
        phoneNumberId: each.kind === 'whatsapp' ? (graph.get(each.id)?.phoneNumberId ?? null) : null,
        businessAccountId: each.kind === 'whatsapp' ? (graph.get(each.id)?.businessAccountId ?? null) : null,
        messagingServiceSid: sidOf('MG', each.id),
        carrierSettings: each.carrierSettings as SettingValues as Record<string, string> | null,
        ...pick(each, 'isDefault', 'isActive', 'healthStatus', 'pauseCode', 'pauseReason'),
        pausedAt: each.pausedAt?.toISOString() ?? null,
        createdAt: each.createdAt.toISOString(),
        deletedAt: each.deletedAt?.toISOString() ?? null,
      }));
    },
    columns: {
      ID: 'id',
      ACCOUNT: 'accountId',
      KIND: 'kind',
      NAME: 'name',
      NUMBER: 'phoneNumber',
      CARRIER: 'carrier',
      'PHONE NUMBER ID': (row) => row.phoneNumberId ?? '',
      'BUSINESS ACCOUNT ID': (row) => row.businessAccountId ?? '',
      DEFAULT: (row) => (row.isDefault ? 'yes' : ''),
      HEALTH: (row) => (row.isActive ? row.healthStatus : 'inactive'),
      'PAUSED BY': (row) => (row.pausedAt ? `${row.pauseCode}: ${row.pauseReason}` : ''),
    },
  })
    .option(...OF_ACCOUNT)
    .option('--deleted', 'those that were deleted, which can still be exported from', false);
}

function addDeleteCommand(channel: Command, context: CliContext): void {
  channel
    .command('delete')
    .description('delete a channel that nothing uses any more; what was sent and received stays readable')
    .argument('<channel-id>')
    .option('--dry-run', 'say what would go with it, and whether it can go, and change nothing', false)
    .action(async (id: string, { dryRun }: { dryRun: boolean }, command: Command) => {
      if (dryRun) {
        const plan = await withStore(context, async (prisma, pool) => {
          await requireChannel(prisma, id);
          return planDeletion(pool, id);
        });
        const readable = plan.refusal ?? `Channel ${id} can be deleted. ${alongWith(plan)}`;
        print(context, command, { id, deleted: false, ...plan }, readable);
        return;
      }
      const { deletion } = await withChange(
        context,
        async (prisma, pool) => {
          const before = await requireChannel(prisma, id);
          return { before, deletion: await deleteChannel(pool, id, systemClock.now()) };
        },
        ({ before }) => ({
          action: 'channel.delete',
          accountId: before.accountId,
          subject: id,
          before: pick(before, 'name', 'kind', 'phoneNumber', 'carrier', 'isDefault'),
        }),
      );
      print(context, command, { id, deleted: true, ...deletion }, `Channel ${id} was deleted. ${alongWith(deletion)}`);
    });
}

function alongWith({ keys, runs, automations, webhooks }: Deletion): string {
  return `Keys revoked: ${keys}; automations switched off: ${automations}, runs ended: ${runs}; webhooks switched off: ${webhooks}.`;
}
