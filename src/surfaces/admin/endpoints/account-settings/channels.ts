import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { changeOf } from '../../../../accounts/audit/change-of.js';
import type { SettingValues } from '../../../../carriers/setup/settings.js';
import {
  type ChannelChange,
  changeChannel,
  createChannel,
  listChannels,
  lockedChannel,
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

export type ChannelsOptions = CarriersOptions;

type HealthTables = Parameters<typeof withHealth>[0];
type ChannelRow = Awaited<ReturnType<typeof requireChannel>>;

/** The numbers that an account sends from. */
export const channelEndpoints: Endpoints<ChannelsOptions> = async (app, options) => {
  const { prisma } = options;
  const types = typesToSetUp(options);
  const view = async (channels: readonly ChannelRow[], store: HealthTables = prisma) =>
    (await withHealth(store, channels)).map(viewOf);
  const viewOne = async (channel: ChannelRow, store: HealthTables) =>
    (await view([channel], store))[0] as ReturnType<typeof viewOf>;

  /** Changes the channel of the path, and tells of what became another. */
  const change = (request: FastifyRequest, asked: ChannelChange) =>
    request.change(async ({ prisma: inChange, client }) => {
      const { id } = channelOf(request);
      const before = await viewOne(await lockedChannel(inChange, id), inChange);
      const after = await viewOne(await changeChannel(inChange, client, id, asked, types), inChange);
      return { result: ok(after), told: changeOf('channel.change', id, changeable(before), changeable(after)) };
    });

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
      return request.change(async (change) => {
        const made = await viewOne(await createChannel(change.prisma, input, types), change.prisma);
        return { result: ok(made), told: { action: 'channel.create', subject: made.id, after: audited(made) } };
      });
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
      const { isActive } = request.body;
      return change(request, { set: {}, unset: [], isActive });
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
      const { carrier, set = {}, unset = [] } = request.body;
      return change(request, { carrier, set, unset });
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
      return request.change(async ({ prisma: inChange, client }) => {
        const { pauseCode } = await lockedChannel(inChange, id);
        const { wasPaused } = await resumeChannel(inChange, client, id);
        const told = wasPaused ? { action: 'channel.resume', subject: id, before: { pauseCode } } : null;
        return { result: ok({ wasPaused }), told };
      });
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
      return request.change(async ({ prisma: inChange, client }) => {
        const { name, kind, phoneNumber, carrier, isDefault } = await requireChannel(inChange, id);
        if (request.body.phoneNumber !== phoneNumber) throw invalidField('phoneNumber', 'must be that of the channel');
        const { keys, automations, runs, webhooks } = await deleteChannel(client, id, new Date());
        const before = { name, kind, phoneNumber, carrier, isDefault };
        const told = { action: 'channel.delete', subject: id, before };
        return { result: ok({ keys, automations, runs, webhooks }), told };
      });
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

/** What owners and operators of the installation change of a channel. */
function changeable({ carrier, carrierSettings, isActive }: ReturnType<typeof viewOf>) {
  return { carrier, carrierSettings, isActive };
}

function audited({ name, kind, phoneNumber, carrier, carrierSettings, isDefault }: ReturnType<typeof viewOf>) {
  return { name, kind, phoneNumber, carrier, carrierSettings, isDefault };
}
