import { Type } from '@sinclair/typebox';
import { readBreakdown, readSummary } from '../../../features/usage/usage-store.js';
import { answer, Id, ok, type SurfaceBRoutes, Timestamp } from '../shared.js';

const AccountData = Type.Object({
  userId: Type.String({ ...Id, description: "The account's id." }),
  channel: Type.Object({
    id: Id,
    name: Type.String({ examples: ['Support'] }),
    phoneNumber: Type.String({ description: 'Digits with country code.', examples: ['15005550100'] }),
    isActive: Type.Boolean(),
    healthStatus: Type.String({ examples: ['healthy'] }),
  }),
  usage: Type.Object({
    requestCount: Type.Integer({ description: 'Authenticated requests so far; each is counted within a second.' }),
    monthlyRequestCount: Type.Integer({ description: 'Those of this UTC month.' }),
    monthlyResetAt: Type.String({ ...Timestamp, description: 'The beginning of the next UTC month.' }),
    lastUsedAt: Type.String({ ...Timestamp, description: 'The last request, this one included.' }),
  }),
});

const UsageData = Type.Object({
  last24Hours: Type.Integer(),
  last7Days: Type.Integer(),
  total: Type.Integer(),
  recentRequests: Type.Array(
    Type.Object({
      endpoint: Type.String({ description: 'The path without its query.', examples: ['/api/v1/contacts'] }),
      method: Type.String({ examples: ['GET'] }),
      statusCode: Type.Integer({ examples: [200] }),
      responseTime: Type.Number({ description: 'Milliseconds.', examples: [3.2] }),
      createdAt: Timestamp,
    }),
    { description: 'The last 20 requests, newest first.' },
  ),
});

/** The channel of the caller, and how much its keys were used. */
export const accountRoutes: SurfaceBRoutes = async (app, { deps: { pool, clock } }) => {
  app.get(
    '/account',
    {
      config: { scope: 'account:read' },
      schema: {
        operationId: 'getAccount',
        tags: ['Channel account'],
        summary: 'Show the channel and its usage',
        response: { 200: answer(AccountData) },
      },
    },
    async ({ caller: { account, channel }, arrivedAt }) => {
      const { requestCount, monthlyRequestCount, lastUsedAt } = await readSummary(pool, channel.id, arrivedAt);
      const { id, name, phoneNumber, isActive, healthStatus } = channel;
      return ok({
        userId: account.id,
        channel: { id, name, phoneNumber, isActive, healthStatus },
        usage: {
          requestCount,
          monthlyRequestCount,
          monthlyResetAt: nextMonth(arrivedAt).toISOString(),
          lastUsedAt: (lastUsedAt && lastUsedAt > arrivedAt ? lastUsedAt : arrivedAt).toISOString(),
        },
      });
    },
  );

  app.get(
    '/account/usage',
    {
      config: { scope: 'account:read' },
      schema: {
        operationId: 'getUsage',
        tags: ['Channel account'],
        summary: 'Show the requests of the channel',
        description: 'Every authenticated request is counted, whatever its answer, within a second.',
        response: { 200: answer(UsageData) },
      },
    },
    async ({ caller: { channel } }) => {
      const { recentRequests, ...counts } = await readBreakdown(pool, channel.id, clock.now());
      const told = recentRequests.map((each) => ({ ...each, createdAt: each.createdAt.toISOString() }));
      return ok({ ...counts, recentRequests: told });
    },
  );
};

/** The first moment of the next month, in UTC. */
function nextMonth(time: Date): Date {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1));
}
