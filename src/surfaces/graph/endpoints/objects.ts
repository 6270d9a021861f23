import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { findMedia } from '../../../features/media/media-store.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { channelScope } from '../../resources/callers/channel-caller.js';
import { type Endpoints, graphEndpoint, ObjectPath } from '../endpoint.js';
import { Fields, pickFields } from '../lists.js';
import { actFor, findAccountChannels, findNumber, type ObjectOptions, objectNotFound } from '../objects.js';
import { findMediaOwner } from './media.js';
import { NumberFields, type NumberOptions, numberFields } from './number-fields.js';
import { findTemplate, GraphTemplate, templateFields } from './template-fields.js';

export type ObjectEndpointOptions = ObjectOptions &
  NumberOptions &
  UseCaseOptions<typeof findMedia | typeof findTemplate>;

const AnyFields = Type.Object({
  ...GraphTemplate.properties,
  ...NumberFields.properties,
  status: Type.Optional(Type.String({ description: 'Only for a phone number or a template.' })),
  name: Type.Optional(Type.String({ description: 'Only for a business account or a template.' })),
  messaging_product: Type.Optional(Type.String({ description: 'Only for a file, like the following fields.' })),
  url: Type.Optional(Type.String({ description: 'Download URL, for use with the same token.' })),
  mime_type: Type.Optional(Type.String()),
  sha256: Type.Optional(Type.String({ description: 'Hexadecimal.' })),
  file_size: Type.Optional(Type.String({ description: 'Bytes, as a string.' })),
});

const readEndpoint = graphEndpoint('account:read');

export const objectEndpoints: Endpoints<ObjectEndpointOptions> = async (app, options) => {
  app.get(
    '/:id',
    readEndpoint({
      operationId: 'graphGet',
      summary: 'Get a phone number, a business account, a template or a file',
      description:
        'The ID determines the type. Templates require `templates:read` instead; files require `media:read`.',
      params: ObjectPath,
      querystring: Type.Object({ fields: Fields }),
      data: AnyFields,
    }),
    async (request) => pickFields(await findObject(options, request, request.params.id), request.query.fields),
  );
};

/** @throws {AppError} NOT_FOUND if no channel of the key has such an object; FORBIDDEN if the key lacks the scope */
async function findObject(
  options: ObjectEndpointOptions,
  request: FastifyRequest,
  id: string,
): Promise<{ id: string }> {
  const number = findNumber(request, id);
  if (number) return numberFields(options, actFor(request, number, 'account:read'));
  const [firstCaller] = await findAccountChannels(options, request, id);
  if (firstCaller) return { id, name: actFor(request, firstCaller, 'account:read').channel.name } as { id: string };
  const match = await findTemplate(options, request, id);
  if (!match) return mediaFields(options, request, id);
  actFor(request, match.caller, 'templates:read');
  return templateFields(match.template);
}

async function mediaFields(options: ObjectEndpointOptions, request: FastifyRequest, id: string) {
  const owner = await findMediaOwner(options, request, id);
  if (!owner) throw objectNotFound(id);
  const media = await findMedia(options, channelScope(actFor(request, owner, 'media:read')), id.toLowerCase());
  if (!media) throw objectNotFound(id);
  const path = request.url.split('?', 1)[0];
  return {
    id: media.id,
    messaging_product: 'whatsapp',
    url: `${request.protocol}://${request.host}${path}/file`,
    mime_type: media.mimeType,
    ...(media.sha256 !== null && { sha256: Buffer.from(media.sha256, 'base64').toString('hex') }),
    ...(media.size !== null && { file_size: String(media.size) }),
  };
}
