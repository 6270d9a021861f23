import { Type } from '@sinclair/typebox';
import { DoneData } from '../answers.js';
import { AccountPath } from './accounts-schemas.js';
import { type Contract, READ, WRITE } from './contract.js';
import { AppData, AppPath, KeyData, KeyPath, NewAppBody, NewAppData, NewKeyBody, NewKeyData } from './keys-schemas.js';

export const KEYS = {
  'GET /accounts/:accountId/apps': {
    ...READ,
    operationId: 'consoleListApps',
    summary: 'List the apps of the account, including revoked ones, newest first',
    params: AccountPath,
    data: Type.Array(AppData),
  },
  'POST /accounts/:accountId/apps': {
    ...WRITE,
    operationId: 'consoleCreateApp',
    summary: 'Create an app; its key is shown only once',
    params: AccountPath,
    body: NewAppBody,
    data: NewAppData,
  },
  'POST /accounts/:accountId/apps/:appId/revoke': {
    ...WRITE,
    operationId: 'consoleRevokeApp',
    summary: 'Revoke the key of an app',
    description:
      'Cannot be undone. Running servers refuse the key within seconds. Repeating the request changes nothing.',
    params: AppPath,
    data: DoneData,
  },
  'GET /accounts/:accountId/keys': {
    ...READ,
    operationId: 'consoleListKeys',
    summary: 'List the API keys of the account, including revoked ones, newest first',
    params: AccountPath,
    data: Type.Array(KeyData),
  },
  'POST /accounts/:accountId/keys': {
    ...WRITE,
    operationId: 'consoleCreateKey',
    summary: 'Create an API key; the key and its secret are shown only once',
    params: AccountPath,
    body: NewKeyBody,
    data: NewKeyData,
  },
  'POST /accounts/:accountId/keys/:keyId/revoke': {
    ...WRITE,
    operationId: 'consoleRevokeKey',
    summary: 'Revoke an API key',
    description:
      'Cannot be undone. Running servers refuse the key within two seconds. Repeating the request changes nothing.',
    params: KeyPath,
    data: DoneData,
  },
} satisfies Contract;
