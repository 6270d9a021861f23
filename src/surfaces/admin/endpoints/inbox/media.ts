import { Type } from '@sinclair/typebox';
import { openMedia } from '../../../../features/media/open-media.js';
import { answerFile } from '../../../http/file-answer.js';
import { found, PathId, pathId } from '../../../http/ids.js';
import type { OptionsOf } from '../../../http/options-of.js';
import type { Endpoints } from '../../endpoint.js';
import { adminErrors } from '../../errors.js';
import { ChannelPath } from '../../paths.js';
import { ownedChannelOf } from '../../session-auth.js';

export type ConsoleMediaOptions = OptionsOf<typeof openMedia>;

const FILE = { description: 'The bytes.', content: { '*/*': { schema: { type: 'string', format: 'binary' } } } };

/** Files of a channel, as its conversations show them. */
export const mediaEndpoints: Endpoints<ConsoleMediaOptions> = async (app, options) => {
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
