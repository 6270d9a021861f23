import { Type } from '@sinclair/typebox';
import { DoneData } from '../answers.js';
import { AccountPath } from '../endpoints/accounts-schemas.js';
import {
  AppData,
  AppPath,
  KeyData,
  KeyPath,
  NewAppBody,
  NewAppData,
  NewKeyBody,
  NewKeyData,
} from '../endpoints/key-schemas.js';
import type { Contract } from './contract.js';

const write = { needs: 'developer', of: 'account' } as const;
const read = { needs: 'viewer', of: 'account' } as const;

/** The endpoints of `endpoints/keys.ts`. */
export const KEYS = {
  'GET /accounts/:accountId/apps': {
    ...read,
    operationId: 'consoleListApps',
    summary: 'List the apps of the account, the newest first, revoked ones included',
    params: AccountPath,
    data: Type.Array(AppData),
  },
  'POST /accounts/:accountId/apps': {
    ...write,
    operationId: 'consoleCreateApp',
    summary: 'Make an app; its key is shown this once',
    params: AccountPath,
    body: NewAppBody,
    data: NewAppData,
  },
  'POST /accounts/:accountId/apps/:appId/revoke': {
    ...write,
    operationId: 'consoleRevokeApp',
    summary: 'End the key of an app for good',
    description: 'Running servers refuse it within seconds. Once more changes nothing.',
    params: AppPath,
    data: DoneData,
  },
  'GET /accounts/:accountId/keys': {
    ...read,
    operationId: 'consoleListKeys',
    summary: 'List the API keys of the account, the newest first, revoked ones included',
    params: AccountPath,
    data: Type.Array(KeyData),
  },
  'POST /accounts/:accountId/keys': {
    ...write,
    operationId: 'consoleCreateKey',
    summary: 'Generate an API key; it and its secret are shown this once',
    params: AccountPath,
    body: NewKeyBody,
    data: NewKeyData,
  },
  'POST /accounts/:accountId/keys/:keyId/revoke': {
    ...write,
    operationId: 'consoleRevokeKey',
    summary: 'End an API key for good',
    description: 'Running servers refuse it within two seconds. Once more changes nothing.',
    params: KeyPath,
    data: DoneData,
  },
} satisfies Contract;
