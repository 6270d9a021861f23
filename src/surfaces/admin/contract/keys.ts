import { Type } from '@sinclair/typebox';
import { DoneData } from '../answers.js';
import { AccountPath } from './accounts-schemas.js';
import {
  AppData,
  AppPath,
  KeyData,
  KeyPath,
  NewAppBody,
  NewAppData,
  NewKeyBody,
  NewKeyData,
} from './keys-schemas.js';
import { type Contract, READ, WRITE } from './contract.js';

export const KEYS = {
  'GET /accounts/:accountId/apps': {
    ...READ,
    operationId: 'consoleListApps',
    summary: 'List the apps of the account, the newest first, revoked ones included',
    params: AccountPath,
    data: Type.Array(AppData),
  },
  'POST /accounts/:accountId/apps': {
    ...WRITE,
    operationId: 'consoleCreateApp',
    summary: 'Make an app; its key is shown this once',
    params: AccountPath,
    body: NewAppBody,
    data: NewAppData,
  },
  'POST /accounts/:accountId/apps/:appId/revoke': {
    ...WRITE,
    operationId: 'consoleRevokeApp',
    summary: 'End the key of an app for good',
    description: 'Running servers refuse it within seconds. Once more changes nothing.',
    params: AppPath,
    data: DoneData,
  },
  'GET /accounts/:accountId/keys': {
    ...READ,
    operationId: 'consoleListKeys',
    summary: 'List the API keys of the account, the newest first, revoked ones included',
    params: AccountPath,
    data: Type.Array(KeyData),
  },
  'POST /accounts/:accountId/keys': {
    ...WRITE,
    operationId: 'consoleCreateKey',
    summary: 'Generate an API key; it and its secret are shown this once',
    params: AccountPath,
    body: NewKeyBody,
    data: NewKeyData,
  },
  'POST /accounts/:accountId/keys/:keyId/revoke': {
    ...WRITE,
    operationId: 'consoleRevokeKey',
    summary: 'End an API key for good',
    description: 'Running servers refuse it within two seconds. Once more changes nothing.',
    params: KeyPath,
    data: DoneData,
  },
} satisfies Contract;
