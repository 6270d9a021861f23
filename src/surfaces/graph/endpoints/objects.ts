import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import type { ChannelCaller } from '../../../accounts/channel-authenticator.js';
import { phoneNumberIdOf } from '../../../features/channels/graph-ids.js';
import { findMedia } from '../../../features/media/media-store.js';
import type { OptionsOf } from '../../http/options-of.js';
import { scopeOf } from '../../resources/channel-caller.js';
import { AccountPath, type Endpoints, graphEndpoint, ObjectPath } from '../endpoint.js';
import { chosenFields, Fields, PageQuery, Paging, pageOf } from '../lists.js';
import { actFor, channelsOf, noObject, numberOf, type ObjectOptions } from '../objects.js';
import { ownerOfMedia } from './media.js';

export type ObjectEndpointOptions = ObjectOptions & OptionsOf<typeof findMedia>;

const NumberFields = Type.Partial(
  Type.Object({
    id: Type.String({ examples: ['482913750264817'] }),
    display_phone_number: Type.String({ examples: ['+15005550100'] }),
    verified_name: Type.String({ description: 'The name of the channel.', examples: ['Support'] }),
    quality_rating: Type.String({ description: '`UNKNOWN` where nobody rates the number.', examples: ['UNKNOWN'] }),
    code_verification_status: Type.String({ examples: ['VERIFIED'] }),
    platform_type: Type.String({ examples: ['CLOUD_API'] }),
    status: Type.String({ description: '`CONNECTED`; of a channel that is switched off `DISCONNECTED`.' }),
  }),
);

/** Of whatever an id may name: which fields are there depends on it. */
const AnyFields = Type.Object({
  ...NumberFields.properties,
  name: Type.Optional(Type.String({ description: 'Of a business account.' })),
  messaging_product: Type.Optional(Type.String({ description: 'Of a file, as are those that follow.' })),
  url: Type.Optional(Type.String({ description: 'Where its bytes are, with the same token.' })),
  mime_type: Type.Optional(Type.String()),
  sha256: Type.Optional(Type.String({ description: 'In hexadecimal digits.' })),
  file_size: Type.Optional(Type.String({ description: 'Bytes, in digits.' })),
});

const read = graphEndpoint('account:read');

export const objectEndpoints: Endpoints<ObjectEndpointOptions> = async (app, options) => {
  app.get(
    '/:businessAccountId/phone_numbers',
    read({
      operationId: 'graphListNumbers',
      object: 'account',
      summary: 'List the numbers of a business account',
      description: 'Those whose channels the key is bound to.',
      params: AccountPath,
      querystring: Type.Object({ ...PageQuery, fields: Fields }),
      data: Type.Object({ data: Type.Array(NumberFields), paging: Type.Optional(Paging) }),
    }),
    async (request) => {
      const { params, query } = request;
      const callers = await channelsOf(options, request, params.businessAccountId);
      const { entries, paging } = pageOf(request, query, callers.map(numberFields));
      return { data: entries.map((entry) => chosenFields(entry, query.fields)), ...(paging && { paging }) };
    },
  );

  app.get(
    '/:id',
    read({
      operationId: 'graphGet',
      summary: 'Look at a number, a business account or a file',
      description: 'The id says which of them it is.',
      params: ObjectPath,
      querystring: Type.Object({ fields: Fields }),
      data: AnyFields,
    }),
    async (request) => {
      const { params, query } = request;
      const number = numberOf(request, params.id);
      if (number) return chosenFields(numberFields(actFor(request, number, 'account:read')), query.fields);
      const [first] = await channelsOf(options, request, params.id);
      if (!first) return chosenFields(await mediaFields(options, request, params.id), query.fields);
      const { channel } = actFor(request, first, 'account:read');
      return chosenFields({ id: params.id, name: channel.name }, query.fields);
    },
  );
};

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

function numberFields({ channel }: ChannelCaller) {
  return {
    id: phoneNumberIdOf(channel),
    display_phone_number: `+${channel.phoneNumber}`,
    verified_name: channel.name,
    quality_rating: 'UNKNOWN',
    code_verification_status: 'VERIFIED',
    platform_type: 'CLOUD_API',
    status: channel.isActive ? 'CONNECTED' : 'DISCONNECTED',
  };
}
