import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { findMedia } from '../../../features/media/media-store.js';
import type { OptionsOf } from '../../http/options-of.js';
import { scopeOf } from '../../resources/callers/channel-caller.js';
import { type Endpoints, graphEndpoint, ObjectPath } from '../endpoint.js';
import { chosenFields, Fields } from '../lists.js';
import { actFor, channelsOf, noObject, numberOf, type ObjectOptions } from '../objects.js';
import { ownerOfMedia } from './media.js';
import { NumberFields, type NumberOptions, numberFields } from './number-fields.js';
import { findTemplate, GraphTemplate, templateFields } from './template-fields.js';

export type ObjectEndpointOptions = ObjectOptions & NumberOptions & OptionsOf<typeof findMedia | typeof findTemplate>;

/** Of whatever an id may name: which fields are there depends on it. */
const AnyFields = Type.Object({
  ...GraphTemplate.properties,
  ...NumberFields.properties,
  status: Type.Optional(Type.String({ description: 'Of a number or a template.' })),
  name: Type.Optional(Type.String({ description: 'Of a business account or a template.' })),
  messaging_product: Type.Optional(Type.String({ description: 'Of a file, as are those that follow.' })),
  url: Type.Optional(Type.String({ description: 'Where its bytes are, with the same token.' })),
  mime_type: Type.Optional(Type.String()),
  sha256: Type.Optional(Type.String({ description: 'In hexadecimal digits.' })),
  file_size: Type.Optional(Type.String({ description: 'Bytes, in digits.' })),
});

const read = graphEndpoint('account:read');

export const objectEndpoints: Endpoints<ObjectEndpointOptions> = async (app, options) => {
  app.get(
    '/:id',
    read({
      operationId: 'graphGet',
      summary: 'Look at a number, a business account, a template or a file',
      description: 'The id says which of them it is. Templates need `templates:read` instead, files `media:read`.',
      params: ObjectPath,
      querystring: Type.Object({ fields: Fields }),
      data: AnyFields,
    }),
    async (request) => chosenFields(await objectOf(options, request, request.params.id), request.query.fields),
  );
};

/** @throws {AppError} NOT_FOUND where no channel of the key has such an object; FORBIDDEN */
async function objectOf(options: ObjectEndpointOptions, request: FastifyRequest, id: string): Promise<{ id: string }> {
  const number = numberOf(request, id);
  if (number) return numberFields(options, actFor(request, number, 'account:read'));
  const [first] = await channelsOf(options, request, id);
  if (first) return { id, name: actFor(request, first, 'account:read').channel.name } as { id: string };
  const found = await findTemplate(options, request, id);
  if (!found) return mediaFields(options, request, id);
  actFor(request, found.caller, 'templates:read');
  return templateFields(found.template);
}

/** @throws {AppError} NOT_FOUND where no channel of the key has such a file */
async function mediaFields(options: ObjectEndpointOptions, request: FastifyRequest, id: string) {
  const owner = await ownerOfMedia(options, request, id);
  if (!owner) throw noObject(id);
  const media = await findMedia(options, scopeOf(actFor(request, owner, 'media:read')), id.toLowerCase());
  if (!media) throw noObject(id);
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
