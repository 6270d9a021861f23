import { Type } from '@sinclair/typebox';
import { findMediaKind } from '../../../../carriers/media/media-types.js';
import { requireWhatsapp } from '../../../../features/channels/call-carrier.js';
import { openMedia } from '../../../../features/media/open-media.js';
import { uploadMedia } from '../../../../features/media/upload.js';
import { sendFile } from '../../../http/files/file-answer.js';
import { acceptFileForms, receiveFile } from '../../../http/files/file-form.js';
import { PathId, pathId, requireFound } from '../../../http/ids.js';
import type { UseCaseOptions } from '../../../http/use-case-options.js';
import { answer, ok } from '../../answers.js';
import { UploadedData } from '../../contract/inbox/sends-schemas.js';
import { ChannelPath } from '../../contract/paths.js';
import type { Endpoints } from '../../endpoint.js';
import { adminErrors } from '../../errors.js';
import { requestOwnedChannel, requestScope } from '../../session-auth.js';

export type ConsoleMediaOptions = UseCaseOptions<typeof openMedia | typeof uploadMedia>;

const FILE = {
  description: 'The content of the file.',
  content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
};

export const mediaEndpoints: Endpoints<ConsoleMediaOptions> = async (app, options) => {
  acceptFileForms(app);

  app.post(
    '/accounts/:accountId/channels/:channelId/media',
    {
      config: { needs: 'developer', roleScope: 'account', takesFile: 'file' },
      schema: {
        operationId: 'consoleUploadMedia',
        summary: 'Upload a file for use in messages',
        description:
          "A form with one part `file`. The type is detected from the content; Meta's types and limits apply. The upload is not audited, " +
          'because nobody sees the file until a message uses it.',
        tags: ['Console'],
        params: ChannelPath,
        response: { 200: answer(UploadedData), ...adminErrors([413, 415]) },
      },
    },
    async (request) => {
      requireWhatsapp(requestOwnedChannel(request));
      const { media } = await receiveFile(request, 'file', ({ bytes, filename, mimeType }) =>
        uploadMedia(options, requestScope(request), { bytes, filename, mimeType }),
      );
      const { id, mimeType, size, filename } = media;
      return ok({ id, kind: findMediaKind(mimeType) ?? ('document' as const), mimeType, size: size ?? 0, filename });
    },
  );

  app.get(
    '/accounts/:accountId/channels/:channelId/media/:mediaId',
    {
      config: { needs: 'viewer', roleScope: 'account' },
      schema: {
        operationId: 'consoleGetMedia',
        summary: 'Download a file of a channel',
        description:
          "The whole file, or part of it with `Range`. A contact's file is fetched from the carrier on the first request.",
        tags: ['Console'],
        params: Type.Object({ ...ChannelPath.properties, mediaId: PathId }),
        response: { 200: FILE, 206: FILE, ...adminErrors([410, 413]) },
      },
    },
    async (request, reply) => {
      const id = pathId(request.params.mediaId, 'media');
      const { media, open } = requireFound(await openMedia(options, requestOwnedChannel(request), id), 'media');
      return sendFile(request, reply, { ...media, open });
    },
  );
};
