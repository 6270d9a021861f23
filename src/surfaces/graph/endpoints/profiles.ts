import { Type } from '@sinclair/typebox';
import { changeBusinessProfile, readBusinessProfile } from '../../../features/channels/business-profile.js';
import type { OptionsOf } from '../../http/options-of.js';
import { NULL_IS_ABSENT, RULE } from '../../http/validation.js';
import { ownedChannel } from '../../resources/callers/owned-channel.js';
import { type Endpoints, graphEndpoint, NumberPath } from '../endpoint.js';
import { ofNoMessage } from '../errors.js';
import { Fields, fieldNames } from '../lists.js';
import { only, Success } from './message-schemas.js';

export type ProfileEndpointOptions = OptionsOf<typeof readBusinessProfile | typeof changeBusinessProfile>;

const text = (maxLength: number, example: string, description?: string) =>
  Type.Optional(
    Type.String({
      maxLength,
      examples: [example],
      ...(description && { description }),
      [RULE]: `must be a text of at most ${maxLength} characters`,
    }),
  );

/** Limits as Meta has them ("Business profiles"). */
const FIELDS = {
  about: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 139,
      examples: ['We repair lamps'],
      [RULE]: 'must be a text of 1 to 139 characters',
    }),
  ),
  address: text(256, '1 Pier, Hamburg'),
  description: text(512, 'Lamps of all kinds'),
  email: text(128, 'hello@example.com'),
  vertical: Type.Optional(
    Type.String({
      pattern: '^[A-Z_]{0,40}$',
      description: 'The branch, in Meta’s words.',
      examples: ['RETAIL'],
      [RULE]: 'must be a word in capitals, such as RETAIL',
    }),
  ),
  websites: Type.Optional(
    Type.Array(
      Type.String({
        maxLength: 256,
        pattern: '^https?://',
        [RULE]: 'must be an address of at most 256 characters that begins with http:// or https://',
      }),
      { maxItems: 2, examples: [['https://example.com']], [RULE]: 'must be a list of at most two addresses' },
    ),
  ),
};

const Profile = Type.Object({
  messaging_product: Type.Literal('whatsapp'),
  ...FIELDS,
  profile_picture_url: Type.Optional(Type.String()),
});

const ProfileBody = Type.Object(
  {
    messaging_product: only('whatsapp'),
    ...FIELDS,
    profile_picture_handle: text(4096, '4::aW1hZ2UvanBlZw==', 'Of a picture that was uploaded to Meta.'),
  },
  {
    [NULL_IS_ABSENT]: true,
    examples: [{ messaging_product: 'whatsapp', about: 'We repair lamps', websites: ['https://example.com'] }],
  },
);

export const profileEndpoints: Endpoints<ProfileEndpointOptions> = async (app, options) => {
  app.setErrorHandler((error) => {
    throw ofNoMessage(error);
  });

  app.get(
    '/:phoneNumberId/whatsapp_business_profile',
    graphEndpoint('account:read')({
      operationId: 'graphGetProfile',
      object: 'number',
      summary: 'Look at the business profile of a number',
      description: 'That which Meta has; of another carrier what was set here. What is not set is left out.',
      params: NumberPath,
      querystring: Type.Object({ fields: Fields }),
      data: Type.Object({ data: Type.Array(Profile) }),
    }),
    async ({ caller, query }) => {
      const profile = await readBusinessProfile(options, ownedChannel(caller));
      const names = fieldNames(query.fields);
      const shown = Object.entries(profile).filter(([name]) => names === null || names.has(name));
      return { data: [{ messaging_product: 'whatsapp' as const, ...Object.fromEntries(shown) }] };
    },
  );

  app.post(
    '/:phoneNumberId/whatsapp_business_profile',
    graphEndpoint('account:write')({
      operationId: 'graphChangeProfile',
      object: 'number',
      summary: 'Change the business profile of a number',
      description: 'Fields that are left out stay; one that is empty is taken away.',
      params: NumberPath,
      body: ProfileBody,
      data: Success,
    }),
    async ({ caller, body }) => {
      const { about, address, description, email, vertical, websites, profile_picture_handle } = body;
      const fields = { about, address, description, email, vertical, websites, profile_picture_handle };
      const given = Object.entries(fields).filter(([, value]) => value !== undefined);
      await changeBusinessProfile(options, ownedChannel(caller), Object.fromEntries(given));
      return { success: true as const };
    },
  );
};
