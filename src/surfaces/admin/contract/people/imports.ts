import { Type } from '@sinclair/typebox';
import { MAX_SLICES } from '../../../../features/contacts/import/slice-limits.js';
import { RULE } from '../../../http/validation.js';
import { DoneData, pageQuery } from '../../answers.js';
import type { Contract } from '../contract.js';
import { ChannelPath, ChannelResourcePath } from '../paths.js';
import { ImportEntry, SliceBody, StartImportBody } from './imports-schemas.js';

const SlicePath = Type.Intersect([
  ChannelResourcePath,
  Type.Object({
    position: Type.Integer({ minimum: 0, maximum: MAX_SLICES, [RULE]: 'must be an integer from 0' }),
  }),
]);
export const IMPORTS = {
  'GET /accounts/:accountId/channels/:channelId/imports': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleListImports',
    summary: 'List the imports of a channel in the last 30 days, newest first',
    params: ChannelPath,
    query: pageQuery({}),
    entry: ImportEntry,
  },
  'POST /accounts/:accountId/channels/:channelId/imports': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleStartImport',
    summary: 'Start an import; its rows follow in slices',
    params: ChannelPath,
    body: StartImportBody,
    data: ImportEntry,
    errors: [404, 409],
  },
  'PUT /accounts/:accountId/channels/:channelId/imports/:id/slices/:position': {
    needs: 'developer',
    roleScope: 'account',
    checksTexts: true,
    operationId: 'consoleAddImportSlice',
    summary: 'Send a slice of an import',
    description: 'Processing starts once all slices have arrived. Sending a slice again changes nothing.',
    params: SlicePath,
    body: SliceBody,
    data: ImportEntry,
  },
  'GET /accounts/:accountId/channels/:channelId/imports/:id': {
    needs: 'viewer',
    roleScope: 'account',
    operationId: 'consoleGetImport',
    summary: 'Get the progress of an import',
    params: ChannelResourcePath,
    data: ImportEntry,
  },
  'DELETE /accounts/:accountId/channels/:channelId/imports/:id': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleDiscardImport',
    summary: 'Discard an import whose last slice has not arrived',
    params: ChannelResourcePath,
    data: DoneData,
    errors: [409],
  },
} satisfies Contract;
