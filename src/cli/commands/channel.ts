import { type Command, Option } from 'commander';
import { diffForAudit } from '../../accounts/audit/diff.js';
import { parseSettings, type SettingValues } from '../../carriers/settings.js';
import { loadCarrierType } from '../../carriers/setup/carriers.js';
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
import { toSid } from '../../platform/text/sids.js';
import { addList } from '../actions.js';
import { withChange } from '../change.js';
import { type CliContext, getCarrierTypes } from '../context.js';
import { ACCOUNT_FILTER, addSwitch, collect, readSwitch, type Switch } from '../options.js';
import { pick, print } from '../output.js';
import { withStore } from '../store.js';
import { addChannelReplyCommand } from './people/keyword-replies.js';

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

const SET_OPTION = ['--set <name=value>', 'a setting that its carrier needs; can be repeated', collect, []] as const;

export function addChannelCommands(program: Command, context: CliContext): void {
  const types = getCarrierTypes(context);
  const channel = program.command('channel').description('numbers that accounts send from');

  channel
    .command('create')
    .description('create a channel')
    .requiredOption('--account <account-id>', 'the account that owns it')
    .requiredOption('--name <name>', 'name shown to API clients')
    .requiredOption('--phone <digits>', 'its phone number, with country code and without a plus sign')
    .addOption(new Option('--kind <kind>', 'kind of messages').choices(['sms', 'whatsapp']).default('whatsapp'))
    .option('--carrier <name>', 'its carrier', Simulator.carrierName)
    .option(...SET_OPTION)
    .option('--default', 'use it for sends that name no channel; one per account and kind', false)
    .action(async ({ account: accountId, phone, default: isDefault, ...rest }: CreateOptions, command: Command) => {
      const { set, ...options } = rest;
      const created = await withChange(
        context,
        async (prisma) => {
          const type = await loadCarrierType(prisma, options.carrier, types);
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
      const { id, kind, name, phoneNumber, carrier } = created;
      print(
        context,
        command,
        { id, accountId, kind, name, phoneNumber, carrier, isDefault },
        `Created channel ${id} (${name}, ${phoneNumber}).`,
      );
    });

  const setCommand = channel
    .command('set')
    .description('change the carrier or settings of a channel, or switch it on or off')
    .argument('<channel-id>')
    .option('--carrier <name>', 'the new carrier')
    .option(...SET_OPTION)
    .option('--unset <name>', 'remove a setting', collect, []);
  addSwitch(setCommand, { on: 'allow sending', off: 'stop sending' }).action(
    async (id: string, { carrier, set, unset, ...state }: ChangeOptions, command: Command) => {
      const isActive = readSwitch(state);
      const { after: channelRow } = await withChange(
        context,
        async (prisma, pool) => {
          const before = await findAndLockChannel(prisma, id);
          const type = await loadCarrierType(prisma, carrier ?? before.carrier, types);
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
          const [previous, current] = [before, after].map((row) => pick(row, 'carrier', 'carrierSettings', 'isActive'));
          const line = diffForAudit('channel.change', id, previous as object, current as object);
          return line && { ...line, accountId: before.accountId };
        },
      );
      const result = { id, carrier: channelRow.carrier, isActive: channelRow.isActive };
      print(context, command, result, `Changed channel ${id}.`);
    },
  );

  channel
    .command('resume')
    .description('resume a channel that was paused because its carrier rejected the number or its account')
    .argument('<channel-id>')
    .action(async (id: string, _options: object, command: Command) => {
      const { wasPaused } = await withChange(
        context,
        async (prisma, pool) => {
          const { accountId, pauseCode } = await findAndLockChannel(prisma, id);
          return { accountId, pauseCode, ...(await resumeChannel(prisma, pool, id, systemClock.now())) };
        },
        ({ accountId, pauseCode, wasPaused: isResumed }) =>
          isResumed ? { action: 'channel.resume', accountId, subject: id, before: { pauseCode } } : null,
      );
      const text = wasPaused ? `Resumed channel ${id}.` : `Channel ${id} was not paused.`;
      print(context, command, { id, wasPaused }, text);
    });

  addChannelReplyCommand(channel, context);
  addDeleteCommand(channel, context);

  addList(channel, context, {
    description: 'list all channels',
    find: async (prisma, { account, deleted }: { account?: string; deleted: boolean }) => {
      const channels = await withHealth(prisma, await listChannels(prisma, account, { deleted }));
      const graph = await findGraphIds({ prisma }, channels);
      return channels.map((row) => ({
        ...pick(row, 'id', 'accountId', 'kind', 'name', 'phoneNumber', 'carrier'),
        phoneNumberId: row.kind === 'whatsapp' ? (graph.get(row.id)?.phoneNumberId ?? null) : null,
        businessAccountId: row.kind === 'whatsapp' ? (graph.get(row.id)?.businessAccountId ?? null) : null,
        messagingServiceSid: toSid('MG', row.id),
        carrierSettings: row.carrierSettings as SettingValues as Record<string, string> | null,
        ...pick(row, 'isDefault', 'isActive', 'healthStatus', 'pauseCode', 'pauseReason'),
        pausedAt: row.pausedAt?.toISOString() ?? null,
        createdAt: row.createdAt.toISOString(),
        deletedAt: row.deletedAt?.toISOString() ?? null,
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
    .option(...ACCOUNT_FILTER)
    .option('--deleted', 'list deleted channels, whose data can still be exported', false);
}

function addDeleteCommand(channel: Command, context: CliContext): void {
  channel
    .command('delete')
    .description('delete an unused channel; its messages stay readable')
    .argument('<channel-id>')
    .option(
      '--dry-run',
      'show whether it can be deleted and what would be removed with it, without changing anything',
      false,
    )
    .action(async (id: string, { dryRun }: { dryRun: boolean }, command: Command) => {
      if (dryRun) {
        const plan = await withStore(context, async (prisma, pool) => {
          await requireChannel(prisma, id);
          return planDeletion(pool, id);
        });
        const readable = plan.refusal ?? `Channel ${id} can be deleted. ${describeRemovals(plan)}`;
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
      print(
        context,
        command,
        { id, deleted: true, ...deletion },
        `Deleted channel ${id}. ${describeRemovals(deletion)}`,
      );
    });
}

function describeRemovals({ keys, runs, automations, webhooks }: Deletion): string {
  return `Keys revoked: ${keys}; automations switched off: ${automations}; runs ended: ${runs}; webhooks switched off: ${webhooks}.`;
}
