import type { FastifyRequest } from 'fastify';
import { diffForAudit } from '../../../../accounts/audit/diff.js';
import type { SettingValues } from '../../../../carriers/settings.js';
import { toStandingView } from '../../../../features/channels/channel-standing.js';
import {
  type ChannelChange,
  changeChannel,
  createChannel,
  findAndLockChannel,
  listChannels,
  requireChannel,
  resumeChannel,
} from '../../../../features/channels/channels.js';
import { deleteChannel } from '../../../../features/channels/delete.js';
import { findGraphIds, type GraphIds } from '../../../../features/channels/graph-ids.js';
import { withHealth } from '../../../../features/channels/health.js';
import { invalidField } from '../../../../platform/errors/app-error.js';
import { iso } from '../../../http/schemas/values.js';
import { ok } from '../../answers.js';
import { CHANNELS } from '../../contract/account-settings/channels.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { requestAccount, requestChannel } from '../../session-auth.js';
import { type CarriersOptions, typesToSetUp } from '../installation/carriers.js';

export type ChannelsOptions = CarriersOptions;

type Tables = Parameters<typeof withHealth>[0] & Parameters<typeof findGraphIds>[0]['prisma'];
type ChannelRow = Awaited<ReturnType<typeof requireChannel>>;

export const channelEndpoints: Endpoints<ChannelsOptions> = async (app, options) => {
  const route = registerRoutes(app, CHANNELS);
  const { prisma, clock } = options;
  const types = typesToSetUp(options);
  const toViews = async (channels: readonly ChannelRow[], store: Tables = prisma) => {
    const graphIds = await findGraphIds({ prisma: store }, channels);
    return (await withHealth(store, channels)).map((channel) =>
      toChannelData(channel, clock.now(), channel.kind === 'whatsapp' ? (graphIds.get(channel.id) ?? null) : null),
    );
  };
  const toView = async (channel: ChannelRow, store: Tables) =>
    (await toViews([channel], store))[0] as ReturnType<typeof toChannelData>;

  const change = (request: FastifyRequest, input: Omit<ChannelChange, 'at'>) =>
    request.change(async ({ prisma: transaction, client }) => {
      const { id } = requestChannel(request);
      const before = await toView(await findAndLockChannel(transaction, id), transaction);
      const after = await toView(
        await changeChannel(transaction, client, id, { ...input, at: clock.now() }, types),
        transaction,
      );
      return {
        result: ok(after),
        audit: diffForAudit('channel.change', id, changeableFields(before), changeableFields(after)),
      };
    });

  route('GET /accounts/:accountId/channels', async (request) =>
    ok(await toViews(await listChannels(prisma, requestAccount(request).id))),
  );

  route('POST /accounts/:accountId/channels', async (request) => {
    const { kind, name, phoneNumber, carrier, carrierSettings, isDefault = false } = request.body;
    const input = {
      kind,
      name,
      phoneNumber,
      carrier,
      carrierSettings,
      isDefault,
      accountId: requestAccount(request).id,
    };
    return request.change(async (change) => {
      const created = await toView(await createChannel(change.prisma, input, types), change.prisma);
      return {
        result: ok(created),
        audit: { action: 'channel.create', subject: created.id, after: auditedFields(created) },
      };
    });
  });

  route('PATCH /accounts/:accountId/channels/:channelId', async (request) => {
    const { isActive } = request.body;
    return change(request, { set: {}, unset: [], isActive });
  });

  route('PUT /accounts/:accountId/channels/:channelId/carrier', async (request) => {
    const { carrier, set = {}, unset = [] } = request.body;
    return change(request, { carrier, set, unset });
  });

  route('POST /accounts/:accountId/channels/:channelId/resume', async (request) => {
    const { id } = requestChannel(request);
    return request.change(async ({ prisma: transaction, client }) => {
      const { pauseCode } = await findAndLockChannel(transaction, id);
      const { wasPaused } = await resumeChannel(transaction, client, id, clock.now());
      const auditEntry = wasPaused ? { action: 'channel.resume', subject: id, before: { pauseCode } } : null;
      return { result: ok({ wasPaused }), audit: auditEntry };
    });
  });

  route('POST /accounts/:accountId/channels/:channelId/delete', async (request) => {
    const { id } = requestChannel(request);
    return request.change(async ({ prisma: transaction, client }) => {
      const { name, kind, phoneNumber, carrier, isDefault } = await requireChannel(transaction, id);
      if (request.body.phoneNumber !== phoneNumber)
        throw invalidField('phoneNumber', 'must be the number of the channel');
      const { keys, automations, runs, webhooks } = await deleteChannel(client, id, clock.now());
      const before = { name, kind, phoneNumber, carrier, isDefault };
      const auditEntry = { action: 'channel.delete', subject: id, before };
      return { result: ok({ keys, automations, runs, webhooks }), audit: auditEntry };
    });
  });
};

function toChannelData(channel: ChannelRow, now: Date, graph: GraphIds | null) {
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
    ...toStandingView(channel.standing, now),
    graph,
    createdAt: channel.createdAt.toISOString(),
  };
}

function changeableFields({ carrier, carrierSettings, isActive }: ReturnType<typeof toChannelData>) {
  return { carrier, carrierSettings, isActive };
}

function auditedFields({
  name,
  kind,
  phoneNumber,
  carrier,
  carrierSettings,
  isDefault,
}: ReturnType<typeof toChannelData>) {
  return { name, kind, phoneNumber, carrier, carrierSettings, isDefault };
}
