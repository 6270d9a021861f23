import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { findOwnedChannel } from '../../../features/channels/sender-channel.js';
import { deleteMedia } from '../../../features/media/delete.js';
import { findReceivedMedia } from '../../../features/media/media-store.js';
import { openMedia } from '../../../features/media/open-media.js';
import { filePath } from '../../../features/webhooks/twilio/form.js';
import { idOfSid, sidOf } from '../../../platform/text/sids.js';
import { answerFile } from '../../http/files/file-answer.js';
import type { OptionsOf } from '../../http/options-of.js';
import { accountOf, type Endpoints, MediaPath, MessagePath, messageIdOf, notFound } from '../endpoint.js';
import { errorsTwilio } from '../errors.js';
import { type BothOptions, findEither } from './both-directions.js';
import { MediaList, MediaResource } from './message-schemas.js';
import { accountPath, anyResource, rfc2822 } from './message-view.js';

export type MediaEndpointOptions = BothOptions &
  OptionsOf<typeof openMedia | typeof deleteMedia | typeof findOwnedChannel>;

/** Entries of a page, as Twilio's lists have them; a message of WhatsApp brings one file. */
const PAGE_SIZE = 50;
const JSON_ENDING = /\.json$/;
const FILE = { schema: Type.String({ format: 'binary' }) };
const ANSWER = {
  description: 'What the file is; without `.json` in the path its bytes, or with `Range` a part of them.',
  content: { 'application/json': { schema: MediaResource }, '*/*': FILE },
};

type Asked = FastifyRequest<{ Params: { Sid: string; MediaSid: string } }>;

/** The files that contacts sent, below their messages. */
export const mediaEndpoints: Endpoints<MediaEndpointOptions> = async (app, options) => {
  /** @throws {AppError} NOT_FOUND for the message */
  const filesOf = async (request: FastifyRequest<{ Params: { Sid: string } }>) => {
    const account = accountOf(request);
    const id = messageIdOf(request.params);
    const message = id === null ? null : await findEither(options, account.id, id);
    if (!message) throw notFound(request);
    const { sid } = anyResource(message, account, options.clock.now());
    const files = message.received ? await findReceivedMedia(options.pool, account.id, message.id) : [];
    return { sid, files };
  };
  const fileOf = async (request: Asked) => {
    const { sid, files } = await filesOf(request);
    const id = idOfSid(request.params.MediaSid.replace(JSON_ENDING, ''), 'ME');
    const file = files.find((each) => each.id === id);
    if (!file) throw notFound(request);
    return { sid, file };
  };
  const resource = (
    accountId: string,
    sid: string,
    { id, mimeType, createdAt }: Awaited<ReturnType<typeof fileOf>>['file'],
  ) => {
    const date = rfc2822(createdAt);
    return {
      sid: sidOf('ME', id),
      account_sid: sidOf('AC', accountId),
      parent_sid: sid,
      content_type: mimeType,
      date_created: date,
      date_updated: date,
      uri: `${filePath(accountId, sid, id)}.json`,
    };
  };

  const list = async (request: FastifyRequest<{ Params: { Sid: string } }>) => {
    const { sid, files } = await filesOf(request);
    const { id: accountId } = accountOf(request);
    const uri = `${accountPath(accountId)}/Messages/${sid}/Media.json?PageSize=${PAGE_SIZE}&Page=0`;
    return {
      media_list: files.map((file) => resource(accountId, sid, file)),
      page: 0,
      page_size: PAGE_SIZE,
      start: 0,
      end: Math.max(0, files.length - 1),
      uri,
      first_page_uri: uri,
      next_page_uri: null,
      previous_page_uri: null,
    };
  };
  const listSchema = {
    operationId: 'twilioListMedia',
    summary: "List the files of a message, as Twilio's Media resource",
    description: 'Of a message that a contact wrote; of one that was sent there are none.',
    params: MessagePath,
    response: { 200: MediaList },
  };
  app.get('/Messages/:Sid/Media.json', { schema: listSchema }, list);
  app.get('/Messages/:Sid/Media', { schema: { ...listSchema, hide: true } }, list);

  app.get(
    '/Messages/:Sid/Media/:MediaSid',
    {
      schema: {
        operationId: 'twilioFetchMedia',
        summary: "Look at a file that a contact sent, or download it, as Twilio's Media resource",
        description:
          'It is fetched from the carrier when it is first asked for, and kept; 404 once the carrier hands it out no more.',
        params: MediaPath,
        response: {
          200: ANSWER,
          206: { description: 'A part of the bytes.', content: { '*/*': FILE } },
          ...errorsTwilio([413]),
        },
      },
    },
    async (request, reply) => {
      const { sid, file } = await fileOf(request as Asked);
      const { id: accountId } = accountOf(request);
      if (JSON_ENDING.test((request as Asked).params.MediaSid)) {
        return reply.type('application/json; charset=utf-8').send(resource(accountId, sid, file));
      }
      const channel = await findOwnedChannel(options, accountId, file.channelId);
      const opened = channel && (await openMedia(options, channel, file.id));
      if (!opened) throw notFound(request);
      return answerFile(request, reply, { ...opened.media, open: opened.open });
    },
  );

  app.delete(
    '/Messages/:Sid/Media/:MediaSid',
    {
      schema: {
        operationId: 'twilioDeleteMedia',
        summary: "Delete a file that a contact sent, as Twilio's Media resource",
        params: MediaPath,
        response: { 204: { type: 'null', description: 'It was deleted.' } },
      },
    },
    async (request, reply) => {
      const { file } = await fileOf(request as Asked);
      await deleteMedia(options, { accountId: accountOf(request).id, channelId: file.channelId }, file.id);
      return reply.code(204).send();
    },
  );
};
