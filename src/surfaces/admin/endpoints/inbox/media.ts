import { Type } from '@sinclair/typebox';
import { mediaKindFor } from '../../../../carriers/media/media-types.js';
import { requireWhatsapp } from '../../../../features/channels/call-carrier.js';
import { openMedia } from '../../../../features/media/open-media.js';
import { uploadMedia } from '../../../../features/media/upload.js';
import { answerFile } from '../../../http/files/file-answer.js';
import { receiveFile, takesFiles } from '../../../http/files/file-form.js';
import { found, PathId, pathId } from '../../../http/ids.js';
import type { OptionsOf } from '../../../http/options-of.js';
import { answer, ok } from '../../answers.js';
import type { Endpoints } from '../../endpoint.js';
import { adminErrors } from '../../errors.js';
import { ChannelPath } from '../../contract/paths.js';
import { ownedChannelOf, scopeOf } from '../../session-auth.js';
import { UploadedData } from '../../contract/inbox/sends-schemas.js';

export type ConsoleMediaOptions = OptionsOf<typeof openMedia | typeof uploadMedia>;

const FILE = { description: 'The bytes.', content: { '*/*': { schema: { type: 'string', format: 'binary' } } } };

/** Files of a channel, as its conversations show them. */
export const mediaEndpoints: Endpoints<ConsoleMediaOptions> = async (app, options) => {
  takesFiles(app);

  app.post(
    '/accounts/:accountId/channels/:channelId/media',
    {
      config: { needs: 'developer', of: 'account', takesFile: 'file' },
      schema: {
        operationId: 'consoleUploadMedia',
        summary: 'Upload a file that a message can show',
        description:
          "A form with one part `file`. Its type is what the content says; Meta's types and limits hold. Nobody sees it before a message " +
          'names it, which the audit log tells of.',
        tags: ['Console'],
        params: ChannelPath,
        response: { 200: answer(UploadedData), ...adminErrors([413, 415]) },
      },
    },
    async (request) => {
      requireWhatsapp(ownedChannelOf(request));
      const { media } = await receiveFile(request, 'file', ({ bytes, filename, mimeType }) =>
        uploadMedia(options, scopeOf(request), { bytes, filename, mimeType }),
      );
      const { id, mimeType, size, filename } = media;
      return ok({ id, kind: mediaKindFor(mimeType) ?? ('document' as const), mimeType, size: size ?? 0, filename });
    },
  );

  app.get(
    '/accounts/:accountId/channels/:channelId/media/:mediaId',
    {
      config: { needs: 'viewer', of: 'account' },
      schema: {
        operationId: 'consoleGetMedia',
        summary: 'Show a file of a channel',
        description:
          "Its bytes, or with `Range` a part of them. A contact's file is fetched from the carrier when it is first asked for.",
        tags: ['Console'],
        params: Type.Object({ ...ChannelPath.properties, mediaId: PathId }),
        response: { 200: FILE, 206: FILE, ...adminErrors([410, 413]) },
      },
    },
    async (request, reply) => {
      const id = pathId(request.params.mediaId, 'media');
      const { media, open } = found(await openMedia(options, ownedChannelOf(request), id), 'media');
      return answerFile(request, reply, { ...media, open });
    },
  );
};
