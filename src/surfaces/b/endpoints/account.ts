import { Type } from '@sinclair/typebox';
import { findStanding } from '../../../features/channels/channel-standing.js';
import { findGraphIds } from '../../../features/channels/graph-ids.js';
import { findHealth } from '../../../features/channels/health.js';
import { readBreakdown, readSummary } from '../../../features/usage/usage-store.js';
import type { Clock } from '../../../platform/clock.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { StandingFields } from '../../resources/standing.js';
import { ok } from '../answers.js';
import { type Endpoints, endpoint } from '../endpoint.js';

const AccountData = Type.Object({
  userId: Type.String({ ...Id, description: 'The ID of the account.' }),
  channel: Type.Object({
    id: Id,
    name: Type.String({ examples: ['Support'] }),
    phoneNumber: Type.String({ description: 'Digits with country code.', examples: ['15005550100'] }),
    isActive: Type.Boolean(),
    healthStatus: Type.String({
      description:
        '`healthy`, or the problem: `carrier_down`, `carrier_off`, or a problem reported by the carrier, such as `token_refused`.',
      examples: ['healthy'],
    }),
    graph: Type.Union(
      [
        Type.Object({
          phoneNumberId: Type.String({ examples: ['482913750264817'] }),
          businessAccountId: Type.String({ examples: ['301482913750264'] }),
        }),
        Type.Null(),
      ],
      { description: 'The IDs used on the Meta-compatible surface, `/graph`; null for a channel without WhatsApp.' },
    ),
    ...StandingFields,
  }),
  usage: Type.Object({
    requestCount: Type.Integer({ description: 'Authenticated requests so far. New requests appear within a second.' }),
    monthlyRequestCount: Type.Integer({ description: 'Authenticated requests in the current UTC month.' }),
    monthlyResetAt: Type.String({ ...Timestamp, description: 'The start of the next UTC month.' }),
    lastUsedAt: Type.String({ ...Timestamp, description: 'The time of the last request, including this one.' }),
  }),
});

const UsageData = Type.Object({
  last24Hours: Type.Integer(),
  last7Days: Type.Integer(),
  total: Type.Integer(),
  recentRequests: Type.Array(
    Type.Object({
      endpoint: Type.String({ description: 'The path without the query string.', examples: ['/api/v1/contacts'] }),
      method: Type.String({ examples: ['GET'] }),
      statusCode: Type.Integer({ examples: [200] }),
      responseTime: Type.Number({ description: 'Milliseconds.', examples: [3.2] }),
      createdAt: Timestamp,
    }),
    { description: 'The last 20 requests, newest first.' },
  ),
});

export type AccountOptions = UseCaseOptions<typeof readSummary | typeof readBreakdown | typeof findGraphIds> & {
  clock: Clock;
  prisma: Parameters<typeof findHealth>[0] & Parameters<typeof findStanding>[0];
};

const readEndpoint = endpoint('Channel account', 'account:read');

export const accountEndpoints: Endpoints<AccountOptions> = async (app, options) => {
  app.get(
    '/account',
    readEndpoint({ operationId: 'getAccount', summary: 'Show the channel and its usage', data: AccountData }),
    async ({ caller: { account, channel }, arrivedAt }) => {
      const { requestCount, monthlyRequestCount, lastUsedAt } = await readSummary(options, channel.id, arrivedAt);
      const { id, name, phoneNumber, isActive } = channel;
      const healthStatus = (await findHealth(options.prisma, [channel])).get(id) ?? channel.healthStatus;
      const graph = channel.kind === 'whatsapp' ? ((await findGraphIds(options, [channel])).get(id) ?? null) : null;
      const ownChannel = { id, accountId: account.id };
      const { notices: _notices, ...standing } = await findStanding(options.prisma, ownChannel, options.clock.now());
      return ok({
        userId: account.id,
        channel: { id, name, phoneNumber, isActive, healthStatus, graph, ...standing },
        usage: {
          requestCount,
          monthlyRequestCount,
          monthlyResetAt: startOfNextMonth(arrivedAt).toISOString(),
          lastUsedAt: (lastUsedAt && lastUsedAt > arrivedAt ? lastUsedAt : arrivedAt).toISOString(),
        },
      });
    },
  );

  app.get(
    '/account/usage',
    readEndpoint({
      operationId: 'getUsage',
      summary: 'Show the usage of the channel',
      description: 'Counts every authenticated request, including refused ones. New requests appear within a second.',
      data: UsageData,
    }),
    async ({ caller: { channel } }) => {
      const { recentRequests, ...counts } = await readBreakdown(options, channel.id, options.clock.now());
      const requests = recentRequests.map((logEntry) => ({ ...logEntry, createdAt: logEntry.createdAt.toISOString() }));
      return ok({ ...counts, recentRequests: requests });
    },
  );
};

/** In UTC. */
function startOfNextMonth(time: Date): Date {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1));
}
