import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import type { ChannelCaller } from '../../../accounts/channel-authenticator.js';
import { deleteMedia } from '../../../features/media/delete.js';
import { findMedia } from '../../../features/media/media-store.js';
import { openMedia } from '../../../features/media/open-media.js';
import { uploadMedia } from '../../../features/media/upload.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { isUuid } from '../../../platform/ids.js';
import { sendFile } from '../../http/files/file-answer.js';
import { acceptFileForms, type FormFile, receiveFile } from '../../http/files/file-form.js';
import { markReplayed, readIdempotencyKey } from '../../http/idempotency-key.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { channelScope } from '../../resources/callers/channel-caller.js';
import { toOwnedChannel } from '../../resources/callers/owned-channel.js';
import { type Endpoints, FILE, graphEndpoint, NumberPath, ObjectPath } from '../endpoint.js';
import { actFor, listCallers, objectNotFound } from '../objects.js';
import { Success } from './message-schemas.js';

export type MediaOptions = UseCaseOptions<
  typeof uploadMedia | typeof findMedia | typeof openMedia | typeof deleteMedia
>;

const readEndpoint = graphEndpoint('media:read');
const writeEndpoint = graphEndpoint('media:write');

export async function findMediaOwner(
  options: Parameters<typeof findMedia>[0],
  request: FastifyRequest,
  id: string,
): Promise<ChannelCaller | null> {
  if (!isUuid(id)) return null;
  for (const caller of listCallers(request)) if (await findMedia(options, channelScope(caller), id)) return caller;
  return null;
}

/** Passes on the bytes of the file, and then throws an error unless the form has `messaging_product: whatsapp`. */
async function* requireWhatsappForm({ bytes, fields }: FormFile): AsyncGenerator<Uint8Array> {
  yield* bytes;
  const { messaging_product: product } = fields;
  if (product === undefined) throw invalidField('messaging_product', 'is required');
  if (product !== 'whatsapp') throw invalidField('messaging_product', 'must be whatsapp');
}

export const mediaEndpoints: Endpoints<MediaOptions> = async (app, options) => {
  acceptFileForms(app);

  app.post(
    '/:phoneNumberId/media',
    writeEndpoint({
      operationId: 'graphUploadMedia',
      object: 'number',
      idempotent: true,
      takesFile: 'file',
      summary: "Upload a file, as in Meta's API",
      description:
        'A form (`multipart/form-data`) with the part `file`, as in `POST /api/v1/media`, and the fields `messaging_product` and, if the part has no type, `type`. Fields may come before or after the file.',
      params: NumberPath,
      data: Type.Object({ id: Type.String({ description: 'Use it in messages: `image: {id}`.' }) }),
      errors: [413, 415, 422],
    }),
    async (request, reply) => {
      const idempotencyKey = readIdempotencyKey(request);
      const { media, repeated } = await receiveFile(request, 'file', (file) =>
        uploadMedia(options, channelScope(request.caller), {
          filename: file.filename,
          mimeType: file.mimeType,
          bytes: requireWhatsappForm(file),
          // Some shells leave the quotes of Meta's examples in the form's `type`.
          readLateMimeType: () => file.fields.type?.replace(/^"(.*)"$/, '$1') ?? null,
          idempotencyKey,
        }),
      );
      if (repeated) markReplayed(reply);
      return { id: media.id };
    },
  );

  app.get(
    '/:id/file',
    readEndpoint({
      operationId: 'graphDownloadMedia',
      summary: 'Download the content of a file',
      description: 'The field `url` of a file contains the URL. Requires the same token.',
      params: ObjectPath,
      data: FILE,
      errors: [410, 413],
    }),
    async (request, reply) => {
      const { id } = request.params;
      const owner = await findMediaOwner(options, request, id);
      if (!owner) throw objectNotFound(id);
      const file = await openMedia(options, toOwnedChannel(actFor(request, owner, 'media:read')), id.toLowerCase());
      if (!file) throw objectNotFound(id);
      return sendFile(request, reply, { ...file.media, open: file.open });
    },
  );

  app.delete(
    '/:id',
    writeEndpoint({
      operationId: 'graphDeleteMedia',
      summary: "Delete a file, as in Meta's API",
      params: ObjectPath,
      data: Success,
    }),
    async (request) => {
      const { id } = request.params;
      const owner = await findMediaOwner(options, request, id);
      if (!owner) throw objectNotFound(id);
      const caller = actFor(request, owner, 'media:write');
      if (!(await deleteMedia(options, channelScope(caller), id.toLowerCase()))) throw objectNotFound(id);
      return { success: true as const };
    },
  );
};
