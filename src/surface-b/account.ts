import { Type } from '@sinclair/typebox';
import { answer, Id, ok, type SurfaceBRoutes } from './shared.js';

const AccountData = Type.Object({
  userId: Id,
  channel: Type.Object({
    id: Id,
    name: Type.String(),
    phoneNumber: Type.String({ description: 'Digits with country code.' }),
    isActive: Type.Boolean(),
    healthStatus: Type.String({ examples: ['healthy'] }),
  }),
});

export const accountRoutes: SurfaceBRoutes = async (app) => {
  app.get(
    '/account',
    {
      config: { scope: 'account:read' },
      schema: {
        operationId: 'getAccount',
        tags: ['Channel account'],
        summary: 'The channel and its usage',
        response: { 200: answer(AccountData) },
      },
    },
    async ({ caller: { account, channel } }) => ok({ userId: account.id, channel }),
  );
};
