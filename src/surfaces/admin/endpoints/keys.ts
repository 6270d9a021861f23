import { Type } from '@sinclair/typebox';
import {
  type App,
  createAppKey,
  createChannelKey,
  listApps,
  listChannelKeys,
  revokeApp,
  revokeChannelKey,
} from '../../../accounts/keys.js';
import { noteMaker } from '../../../features/made-by/made-by.js';
import { iso } from '../../http/schemas/values.js';
import { DoneData, done, ok } from '../answers.js';
import { type Endpoints, endpoint } from '../endpoint.js';
import { accountOf } from '../session-auth.js';
import { AccountPath } from './accounts-schemas.js';
import { AppData, AppPath, KeyData, KeyPath, NewAppBody, NewAppData, NewKeyBody, NewKeyData } from './key-schemas.js';

export interface KeyOptions {
  prisma: Parameters<typeof listApps>[0];
}

const read = { needs: 'viewer', of: 'account' } as const;
const write = { needs: 'developer', of: 'account' } as const;

/** Apps, which are keys of Surface A, and keys of Surface B. The rules are those of the command line. */
export const keyEndpoints: Endpoints<KeyOptions> = async (app, { prisma }) => {
  app.get(
    '/accounts/:accountId/apps',
    endpoint({
      ...read,
      operationId: 'consoleListApps',
      summary: 'List the apps of the account, the newest first, revoked ones included',
      params: AccountPath,
      data: Type.Array(AppData),
    }),
    async (request) => {
      const apps = await listApps(prisma, accountOf(request).id);
      return ok(apps.reverse().map((each) => ({ ...keyFields(each), scopes: each.scopes as 'rest'[] })));
    },
  );

  app.post(
    '/accounts/:accountId/apps',
    endpoint({
      ...write,
      operationId: 'consoleCreateApp',
      summary: 'Make an app; its key is shown this once',
      params: AccountPath,
      body: NewAppBody,
      data: NewAppData,
    }),
    async (request) => {
      const { name, scopes } = request.body;
      const { id: accountId } = accountOf(request);
      return request.change(async (change) => {
        const { id, key } = await createAppKey(change.prisma, { accountId, name, scopes });
        await noteMaker(change.prisma, { kind: 'app', id }, request.operator);
        const after = { name: name.trim(), scopes };
        return { result: ok({ id, key }), told: { action: 'app.create', subject: id, after } };
      });
    },
  );

  app.post(
    '/accounts/:accountId/apps/:appId/revoke',
    endpoint({
      ...write,
      operationId: 'consoleRevokeApp',
      summary: 'End the key of an app for good',
      description: 'Running servers refuse it within seconds. Once more changes nothing.',
      params: AppPath,
      data: DoneData,
    }),
    async (request) => {
      const { id: accountId } = accountOf(request);
      return request.change(async (change) => {
        const { id, name, isNew } = await revokeApp(change.prisma, request.params.appId, accountId);
        return { result: done(), told: isNew ? { action: 'app.revoke', subject: id, before: { name } } : null };
      });
    },
  );

  app.get(
    '/accounts/:accountId/keys',
    endpoint({
      ...read,
      operationId: 'consoleListKeys',
      summary: 'List the API keys of the account, the newest first, revoked ones included',
      params: AccountPath,
      data: Type.Array(KeyData),
    }),
    async (request) => {
      const keys = await listChannelKeys(prisma, accountOf(request).id);
      return ok(
        keys.reverse().map((each) => ({
          ...keyFields(each),
          scopes: each.scopes as (typeof KeyData.static)['scopes'],
          channelIds: each.channelIds,
        })),
      );
    },
  );

  app.post(
    '/accounts/:accountId/keys',
    endpoint({
      ...write,
      operationId: 'consoleCreateKey',
      summary: 'Generate an API key; it and its secret are shown this once',
      params: AccountPath,
      body: NewKeyBody,
      data: NewKeyData,
    }),
    async (request) => {
      const { name, scopes, channelIds } = request.body;
      const { id: accountId } = accountOf(request);
      return request.change(async (change) => {
        const { id, key, secret } = await createChannelKey(change.prisma, { accountId, name, scopes, channelIds });
        await noteMaker(change.prisma, { kind: 'key', id }, request.operator);
        const after = { name: name.trim(), scopes, channelIds };
        return { result: ok({ id, key, secret }), told: { action: 'key.create', subject: id, after } };
      });
    },
  );

  app.post(
    '/accounts/:accountId/keys/:keyId/revoke',
    endpoint({
      ...write,
      operationId: 'consoleRevokeKey',
      summary: 'End an API key for good',
      description: 'Running servers refuse it within two seconds. Once more changes nothing.',
      params: KeyPath,
      data: DoneData,
    }),
    async (request) => {
      const { id: accountId } = accountOf(request);
      return request.change(async (change) => {
        const { id, name, isNew } = await revokeChannelKey(change.prisma, request.params.keyId, accountId);
        return { result: done(), told: isNew ? { action: 'key.revoke', subject: id, before: { name } } : null };
      });
    },
  );
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
