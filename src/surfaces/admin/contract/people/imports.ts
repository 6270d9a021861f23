import { Type } from '@sinclair/typebox';
import { MAX_SLICES } from '../../../../features/contacts/import/slice-limits.js';
import { RULE } from '../../../http/validation.js';
import { DoneData, pageQuery } from '../../answers.js';
import { ImportEntry, SliceBody, StartImportBody } from './imports-schemas.js';
import { ChannelPath, ChannelThingPath } from '../paths.js';
import type { Contract } from '../contract.js';

const SlicePath = Type.Intersect([
  ChannelThingPath,
  Type.Object({
    position: Type.Integer({ minimum: 0, maximum: MAX_SLICES, [RULE]: 'must be an integer from 0' }),
  }),
]);
export const IMPORTS = {
  'GET /accounts/:accountId/channels/:channelId/imports': {
    needs: 'viewer',
    of: 'account',
    operationId: 'consoleListImports',
    summary: 'List the imports of a channel in the last 30 days, the newest first',
    params: ChannelPath,
    query: pageQuery({}),
    entry: ImportEntry,
  },
  'POST /accounts/:accountId/channels/:channelId/imports': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleStartImport',
    summary: 'Announce an import, whose rows come in slices',
    params: ChannelPath,
    body: StartImportBody,
    data: ImportEntry,
    errors: [404, 409],
  },
  'PUT /accounts/:accountId/channels/:channelId/imports/:id/slices/:position': {
    needs: 'developer',
    of: 'account',
    // A row with characters that cannot be stored is refused alone.
    checksTexts: true,
    operationId: 'consoleAddImportSlice',
    summary: 'Hand in a slice of an import',
    description: 'The import begins once all are there. A slice that came before changes nothing.',
    params: SlicePath,
    body: SliceBody,
    data: ImportEntry,
  },
  'GET /accounts/:accountId/channels/:channelId/imports/:id': {
    needs: 'viewer',
    of: 'account',
    operationId: 'consoleGetImport',
    summary: 'Tell how far an import is',
    params: ChannelThingPath,
    data: ImportEntry,
  },
  'DELETE /accounts/:accountId/channels/:channelId/imports/:id': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleDiscardImport',
    summary: 'Forget an import whose last slice has not come',
    params: ChannelThingPath,
    data: DoneData,
    errors: [409],
  },
} satisfies Contract;
