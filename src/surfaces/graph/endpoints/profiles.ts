import { Type } from '@sinclair/typebox';
import { changeBusinessProfile, readBusinessProfile } from '../../../features/channels/business-profile.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { NULL_IS_ABSENT, RULE } from '../../http/validation.js';
import { toOwnedChannel } from '../../resources/callers/owned-channel.js';
import { type Endpoints, graphEndpoint, NumberPath } from '../endpoint.js';
import { toMetaError } from '../errors.js';
import { Fields, parseFieldNames } from '../lists.js';
import { literal, Success } from './message-schemas.js';

export type ProfileEndpointOptions = UseCaseOptions<typeof readBusinessProfile | typeof changeBusinessProfile>;

const textSchema = (maxLength: number, example: string, description?: string) =>
  Type.Optional(
    Type.String({
      maxLength,
      examples: [example],
      ...(description && { description }),
      [RULE]: `must be a string of at most ${maxLength} characters`,
    }),
  );

/** Meta's limits ("Business profiles"). */
const FIELDS = {
  about: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 139,
      examples: ['We repair lamps'],
      [RULE]: 'must be a string of 1 to 139 characters',
    }),
  ),
  address: textSchema(256, '1 Pier, Hamburg'),
  description: textSchema(512, 'Lamps of all kinds'),
  email: textSchema(128, 'hello@example.com'),
  vertical: Type.Optional(
    Type.String({
      pattern: '^[A-Z_]{0,40}$',
      description: 'The industry, under the name that Meta uses for it.',
      examples: ['RETAIL'],
      [RULE]: 'must be a word in capital letters, such as RETAIL',
    }),
  ),
  websites: Type.Optional(
    Type.Array(
      Type.String({
        maxLength: 256,
        pattern: '^https?://',
        [RULE]: 'must be a URL of at most 256 characters that begins with http:// or https://',
      }),
      { maxItems: 2, examples: [['https://example.com']], [RULE]: 'must be a list of at most two URLs' },
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
    messaging_product: literal('whatsapp'),
    ...FIELDS,
    profile_picture_handle: textSchema(4096, '4::aW1hZ2UvanBlZw==', 'Handle of a picture uploaded to Meta.'),
  },
  {
    [NULL_IS_ABSENT]: true,
    examples: [{ messaging_product: 'whatsapp', about: 'We repair lamps', websites: ['https://example.com'] }],
  },
);

export const profileEndpoints: Endpoints<ProfileEndpointOptions> = async (app, options) => {
  app.setErrorHandler((error) => {
    throw toMetaError(error);
  });

  app.get(
    '/:phoneNumberId/whatsapp_business_profile',
    graphEndpoint('account:read')({
      operationId: 'graphGetProfile',
      object: 'number',
      summary: 'Get the business profile of a phone number',
      description:
        "Channels of Meta's carrier have the profile that is stored at Meta; for other channels, the profile is stored here. Unset fields are absent.",
      params: NumberPath,
      querystring: Type.Object({ fields: Fields }),
      data: Type.Object({ data: Type.Array(Profile) }),
    }),
    async ({ caller, query }) => {
      const profile = await readBusinessProfile(options, toOwnedChannel(caller));
      const names = parseFieldNames(query.fields);
      const fields = Object.entries(profile).filter(([name]) => names === null || names.has(name));
      return { data: [{ messaging_product: 'whatsapp' as const, ...Object.fromEntries(fields) }] };
    },
  );

  app.post(
    '/:phoneNumberId/whatsapp_business_profile',
    graphEndpoint('account:write')({
      operationId: 'graphChangeProfile',
      object: 'number',
      summary: 'Change the business profile of a phone number',
      description: 'Absent fields stay unchanged; an empty string clears a field.',
      params: NumberPath,
      body: ProfileBody,
      data: Success,
    }),
    async ({ caller, body }) => {
      const { about, address, description, email, vertical, websites, profile_picture_handle } = body;
      const fields = { about, address, description, email, vertical, websites, profile_picture_handle };
      const changes = Object.entries(fields).filter(([, value]) => value !== undefined);
      await changeBusinessProfile(options, toOwnedChannel(caller), Object.fromEntries(changes));
      return { success: true as const };
    },
  );
};
