import {
  type App,
  createAppKey,
  createChannelKey,
  listApps,
  listChannelKeys,
  revokeApp,
  revokeChannelKey,
} from '../../../../accounts/keys.js';
import { recordCreator } from '../../../../features/operator-credentials/created-credentials.js';
import type { Clock } from '../../../../platform/clock.js';
import { iso } from '../../../http/schemas/values.js';
import { done, ok } from '../../answers.js';
import { KEYS } from '../../contract/keys.js';
import type { KeyData } from '../../contract/keys-schemas.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { requestAccount } from '../../session-auth.js';

export interface KeyOptions {
  prisma: Parameters<typeof listApps>[0];
  clock: Clock;
}

export const keyEndpoints: Endpoints<KeyOptions> = async (app, { prisma, clock }) => {
  const route = registerRoutes(app, KEYS);
  route('GET /accounts/:accountId/apps', async (request) => {
    const apps = await listApps(prisma, requestAccount(request).id);
    return ok(apps.reverse().map((app) => ({ ...keyFields(app), scopes: app.scopes as 'rest'[] })));
  });

  route('POST /accounts/:accountId/apps', async (request) => {
    const { name, scopes } = request.body;
    const { id: accountId } = requestAccount(request);
    return request.change(async (change) => {
      const { id, key } = await createAppKey(change.prisma, { accountId, name, scopes });
      await recordCreator(change.prisma, { kind: 'app', id }, request.operator);
      const after = { name: name.trim(), scopes };
      return { result: ok({ id, key }), audit: { action: 'app.create', subject: id, after } };
    });
  });

  route('POST /accounts/:accountId/apps/:appId/revoke', async (request) => {
    const { id: accountId } = requestAccount(request);
    return request.change(async (change) => {
      const { id, name, isNew } = await revokeApp(change.prisma, request.params.appId, clock.now(), accountId);
      return { result: done(), audit: isNew ? { action: 'app.revoke', subject: id, before: { name } } : null };
    });
  });

  route('GET /accounts/:accountId/keys', async (request) => {
    const keys = await listChannelKeys(prisma, requestAccount(request).id);
    return ok(
      keys.reverse().map((key) => ({
        ...keyFields(key),
        scopes: key.scopes as (typeof KeyData.static)['scopes'],
        channelIds: key.channelIds,
      })),
    );
  });

  route('POST /accounts/:accountId/keys', async (request) => {
    const { name, scopes, channelIds } = request.body;
    const { id: accountId } = requestAccount(request);
    return request.change(async (change) => {
      const { id, key, secret } = await createChannelKey(change.prisma, { accountId, name, scopes, channelIds });
      await recordCreator(change.prisma, { kind: 'key', id }, request.operator);
      const after = { name: name.trim(), scopes, channelIds };
      return { result: ok({ id, key, secret }), audit: { action: 'key.create', subject: id, after } };
    });
  });

  route('POST /accounts/:accountId/keys/:keyId/revoke', async (request) => {
    const { id: accountId } = requestAccount(request);
    return request.change(async (change) => {
      const { id, name, isNew } = await revokeChannelKey(change.prisma, request.params.keyId, clock.now(), accountId);
      return { result: done(), audit: isNew ? { action: 'key.revoke', subject: id, before: { name } } : null };
    });
  });
};

function keyFields({ id, name, lastFour, createdAt, lastUsedAt, revokedAt, madeByName }: App) {
  return {
    id,
    name,
    lastFour,
    createdAt: createdAt.toISOString(),
    lastUsedAt: iso(lastUsedAt),
    revokedAt: iso(revokedAt),
    madeBy: madeByName,
  };
}
