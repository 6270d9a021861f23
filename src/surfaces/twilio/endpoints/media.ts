import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { findOwnedChannel } from '../../../features/channels/sender-channel.js';
import { deleteMedia } from '../../../features/media/delete.js';
import { findReceivedMedia } from '../../../features/media/media-store.js';
import { openMedia } from '../../../features/media/open-media.js';
import { buildFilePath } from '../../../features/webhooks/twilio/form.js';
import { parseSid, toSid } from '../../../platform/text/sids.js';
import { sendFile } from '../../http/files/file-answer.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { type Endpoints, MediaPath, MessagePath, notFound, readMessageId, requestAccount } from '../endpoint.js';
import { errorsTwilio } from '../errors.js';
import { type BothDirectionsOptions, findMessageOrInbound } from './both-directions.js';
import { MediaList, MediaResource } from './message-schemas.js';
import { buildAccountPath, formatRfc2822, toResource } from './message-view.js';

export type MediaEndpointOptions = BothDirectionsOptions &
  UseCaseOptions<typeof openMedia | typeof deleteMedia | typeof findOwnedChannel>;

/** A WhatsApp message has at most one file, so the list has only one page. */
const PAGE_SIZE = 50;
const JSON_SUFFIX = /\.json$/;
const FILE = { schema: Type.String({ format: 'binary' }) };
const RESPONSE = {
  description:
    'With `.json` in the path, a description of the file; otherwise its content, or part of it with `Range`.',
  content: { 'application/json': { schema: MediaResource }, '*/*': FILE },
};

type MediaRequest = FastifyRequest<{ Params: { Sid: string; MediaSid: string } }>;

export const mediaEndpoints: Endpoints<MediaEndpointOptions> = async (app, options) => {
  const findFiles = async (request: FastifyRequest<{ Params: { Sid: string } }>) => {
    const account = requestAccount(request);
    const id = readMessageId(request.params);
    const message = id === null ? null : await findMessageOrInbound(options, account.id, id);
    if (!message) throw notFound(request);
    const { sid } = toResource(message, account, options.clock.now());
    const files = message.received ? await findReceivedMedia(options.pool, account.id, message.id) : [];
    return { sid, files };
  };
  const findFile = async (request: MediaRequest) => {
    const { sid, files } = await findFiles(request);
    const id = parseSid(request.params.MediaSid.replace(JSON_SUFFIX, ''), 'ME');
    const file = files.find((candidate) => candidate.id === id);
    if (!file) throw notFound(request);
    return { sid, file };
  };
  const toMediaResource = (
    accountId: string,
    sid: string,
    { id, mimeType, createdAt }: Awaited<ReturnType<typeof findFile>>['file'],
  ) => {
    const date = formatRfc2822(createdAt);
    return {
      sid: toSid('ME', id),
      account_sid: toSid('AC', accountId),
      parent_sid: sid,
      content_type: mimeType,
      date_created: date,
      date_updated: date,
      uri: `${buildFilePath(accountId, sid, id)}.json`,
    };
  };

  const listFiles = async (request: FastifyRequest<{ Params: { Sid: string } }>) => {
    const { sid, files } = await findFiles(request);
    const { id: accountId } = requestAccount(request);
    const uri = `${buildAccountPath(accountId)}/Messages/${sid}/Media.json?PageSize=${PAGE_SIZE}&Page=0`;
    return {
      media_list: files.map((file) => toMediaResource(accountId, sid, file)),
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
    description: 'Only inbound messages have files; the list of an outbound message is empty.',
    params: MessagePath,
    response: { 200: MediaList },
  };
  app.get('/Messages/:Sid/Media.json', { schema: listSchema }, listFiles);
  app.get('/Messages/:Sid/Media', { schema: { ...listSchema, hide: true } }, listFiles);

  app.get(
    '/Messages/:Sid/Media/:MediaSid',
    {
      schema: {
        operationId: 'twilioFetchMedia',
        summary: "Get or download a file of an inbound message, as Twilio's Media resource",
        description:
          'Fetched from the carrier on the first request and then stored; 404 if the carrier no longer provides it.',
        params: MediaPath,
        response: {
          200: RESPONSE,
          206: { description: 'The requested part of the file.', content: { '*/*': FILE } },
          ...errorsTwilio([413]),
        },
      },
    },
    async (request, reply) => {
      const { sid, file } = await findFile(request as MediaRequest);
      const { id: accountId } = requestAccount(request);
      if (JSON_SUFFIX.test((request as MediaRequest).params.MediaSid)) {
        return reply.type('application/json; charset=utf-8').send(toMediaResource(accountId, sid, file));
      }
      const channel = await findOwnedChannel(options, accountId, file.channelId);
      const openedFile = channel && (await openMedia(options, channel, file.id));
      if (!openedFile) throw notFound(request);
      return sendFile(request, reply, { ...openedFile.media, open: openedFile.open });
    },
  );

  app.delete(
    '/Messages/:Sid/Media/:MediaSid',
    {
      schema: {
        operationId: 'twilioDeleteMedia',
        summary: "Delete a file of an inbound message, as Twilio's Media resource",
        params: MediaPath,
        response: { 204: { type: 'null', description: 'The file was deleted.' } },
      },
    },
    async (request, reply) => {
      const { file } = await findFile(request as MediaRequest);
      await deleteMedia(options, { accountId: requestAccount(request).id, channelId: file.channelId }, file.id);
      return reply.code(204).send();
    },
  );
};
