import { Type } from '@sinclair/typebox';
import type { SettingValues } from '../../../../carriers/setup/settings.js';
import {
  changeChannel,
  createChannel,
  listChannels,
  requireChannel,
  resumeChannel,
} from '../../../../features/channels/channels.js';
import { deleteChannel } from '../../../../features/channels/delete.js';
import { withHealth } from '../../../../features/channels/health.js';
import { invalidField } from '../../../../platform/errors/app-error.js';
import { iso } from '../../../http/schemas/values.js';
import { ok } from '../../answers.js';
import { type Endpoints, endpoint } from '../../endpoint.js';
import { ChannelPath } from '../../paths.js';
import { accountOf, channelOf } from '../../session-auth.js';
import { AccountPath } from '../accounts-schemas.js';
import { type CarriersOptions, typesToSetUp } from '../installation/carriers.js';
import {
  ChannelCarrierBody,
  ChannelData,
  ChannelDeletionBody,
  ChannelDeletionData,
  ChannelSwitchBody,
  NewChannelBody,
  ResumeData,
} from './channels-schemas.js';

export interface ChannelsOptions extends CarriersOptions {
  pool: Parameters<typeof resumeChannel>[1];
}

type ChannelRow = Awaited<ReturnType<typeof requireChannel>>;

/** The numbers that an account sends from. */
export const channelEndpoints: Endpoints<ChannelsOptions> = async (app, options) => {
  const { prisma, pool } = options;
  const types = typesToSetUp(options);
  const view = async (channels: readonly ChannelRow[]) => (await withHealth(prisma, channels)).map(viewOf);
  const viewOne = async (channel: ChannelRow) => (await view([channel]))[0] as ReturnType<typeof viewOf>;

  app.get(
    '/accounts/:accountId/channels',
    endpoint({
      needs: 'viewer',
      of: 'account',
      operationId: 'consoleListChannels',
      summary: 'List the channels of an account and how they fare, the oldest first',
      params: AccountPath,
      data: Type.Array(ChannelData),
    }),
    async (request) => ok(await view(await listChannels(prisma, accountOf(request).id))),
  );

  app.post(
    '/accounts/:accountId/channels',
    endpoint({
      needs: 'owner',
      of: 'installation',
      operationId: 'consoleCreateChannel',
      summary: 'Make a channel',
      params: AccountPath,
      body: NewChannelBody,
      data: ChannelData,
      errors: [409],
    }),
    async (request) => {
      const { kind, name, phoneNumber, carrier, carrierSettings, isDefault = false } = request.body;
      const input = { kind, name, phoneNumber, carrier, carrierSettings, isDefault, accountId: accountOf(request).id };
      const made = await viewOne(await createChannel(prisma, input, types));
      await request.audit({ action: 'channel.create', subject: made.id, after: audited(made) });
      return ok(made);
    },
  );

  app.patch(
    '/accounts/:accountId/channels/:channelId',
    endpoint({
      needs: 'owner',
      of: 'account',
      operationId: 'consoleSwitchChannel',
      summary: 'Switch a channel on or off',
      params: ChannelPath,
      body: ChannelSwitchBody,
      data: ChannelData,
    }),
    async (request) => {
      const { id, isActive: was } = channelOf(request);
      const { isActive } = request.body;
      const changed = await changeChannel(prisma, pool, id, { set: {}, unset: [], isActive }, types);
      await request.audit({ action: 'channel.change', subject: id, before: { isActive: was }, after: { isActive } });
      return ok(await viewOne(changed));
    },
  );

  app.put(
    '/accounts/:accountId/channels/:channelId/carrier',
    endpoint({
      needs: 'owner',
      of: 'installation',
      operationId: 'consoleSetChannelCarrier',
      summary: 'Give a channel another carrier, or its carrier other settings',
      params: ChannelPath,
      body: ChannelCarrierBody,
      data: ChannelData,
      errors: [409],
    }),
    async (request) => {
      const { id } = channelOf(request);
      const { carrier, set = {}, unset = [] } = request.body;
      const before = await viewOne(await requireChannel(prisma, id));
      const after = await viewOne(await changeChannel(prisma, pool, id, { carrier, set, unset }, types));
      await request.audit({
        action: 'channel.change',
        subject: id,
        before: { carrier: before.carrier, carrierSettings: before.carrierSettings },
        after: { carrier: after.carrier, carrierSettings: after.carrierSettings },
      });
      return ok(after);
    },
  );

  app.post(
    '/accounts/:accountId/channels/:channelId/resume',
    endpoint({
      needs: 'owner',
      of: 'account',
      operationId: 'consoleResumeChannel',
      summary: 'Let a channel send again that its carrier had paused, and what waits in it',
      params: ChannelPath,
      data: ResumeData,
    }),
    async (request) => {
      const { id } = channelOf(request);
      const { pauseCode } = await requireChannel(prisma, id);
      const { wasPaused } = await resumeChannel(prisma, pool, id);
      if (wasPaused) await request.audit({ action: 'channel.resume', subject: id, before: { pauseCode } });
      return ok({ wasPaused });
    },
  );

  app.post(
    '/accounts/:accountId/channels/:channelId/delete',
    endpoint({
      needs: 'owner',
      of: 'installation',
      operationId: 'consoleDeleteChannel',
      summary: 'Delete a channel that nothing uses any more; what was sent and received stays readable',
      description: 'While messages, campaigns or imports of it are under way: 409, which names them.',
      params: ChannelPath,
      body: ChannelDeletionBody,
      data: ChannelDeletionData,
      errors: [409],
    }),
    async (request) => {
      const { id } = channelOf(request);
      const { name, kind, phoneNumber, carrier, isDefault } = await requireChannel(prisma, id);
      if (request.body.phoneNumber !== phoneNumber) throw invalidField('phoneNumber', 'must be that of the channel');
      const { keys, automations, runs, webhooks } = await deleteChannel(pool, id, new Date());
      const before = { name, kind, phoneNumber, carrier, isDefault };
      await request.audit({ action: 'channel.delete', subject: id, before });
      return ok({ keys, automations, runs, webhooks });
    },
  );
};

function viewOf(channel: ChannelRow) {
  const { id, name, kind, phoneNumber, carrier, isDefault, isActive, pauseCode, pauseReason } = channel;
  return {
    id,
    name,
    kind,
    phoneNumber,
    carrier,
    carrierSettings: channel.carrierSettings as SettingValues | null,
    isDefault,
    isActive,
    health: channel.healthStatus,
    pausedAt: iso(channel.pausedAt),
    pauseCode,
    pauseReason,
    createdAt: channel.createdAt.toISOString(),
  };
}

function audited({ name, kind, phoneNumber, carrier, carrierSettings, isDefault }: ReturnType<typeof viewOf>) {
  return { name, kind, phoneNumber, carrier, carrierSettings, isDefault };
}
