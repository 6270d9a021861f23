import { Type } from '@sinclair/typebox';
import type { ChannelAuthenticator, ChannelKey } from '../../../accounts/channel-authenticator.js';
import { findGraphIds } from '../../../features/channels/graph-ids.js';
import { RULE } from '../../http/validation.js';
import { APP_NAME, toAppId } from '../apps.js';
import { type Endpoints, graphEndpoint, VersionPath } from '../endpoint.js';
import { actFor, listCallers, listWhatsappCallers, type ObjectOptions } from '../objects.js';

export interface TokenOptions extends ObjectOptions {
  authenticator: Pick<ChannelAuthenticator, 'findToken'>;
}

const MESSAGING = 'whatsapp_business_messaging';
const MANAGEMENT = 'whatsapp_business_management';

const InspectedToken = Type.Object({
  app_id: Type.Optional(Type.String({ examples: ['482913750264817'] })),
  application: Type.Optional(Type.String({ examples: [APP_NAME] })),
  type: Type.Optional(Type.String({ examples: ['SYSTEM_USER'] })),
  is_valid: Type.Boolean(),
  expires_at: Type.Optional(Type.Integer({ description: 'Always 0: the token does not expire.' })),
  data_access_expires_at: Type.Optional(Type.Integer()),
  scopes: Type.Array(Type.String({ examples: [MESSAGING] })),
  granular_scopes: Type.Optional(
    Type.Array(
      Type.Object({
        scope: Type.String(),
        target_ids: Type.Array(Type.String({ description: 'IDs of business accounts.' })),
      }),
    ),
  ),
  error: Type.Optional(Type.Object({ code: Type.Integer({ examples: [190] }), message: Type.String() })),
});

export const tokenEndpoints: Endpoints<TokenOptions> = async (app, options) => {
  app.get(
    '/debug_token',
    graphEndpoint('account:read')({
      operationId: 'graphInspectToken',
      summary: 'Inspect a token',
      description: 'The token of the request, or another token of the same account.',
      params: VersionPath,
      querystring: Type.Object({
        input_token: Type.String({
          minLength: 1,
          maxLength: 4096,
          description: 'The token to inspect.',
          [RULE]: 'must be a string of 1 to 4096 characters',
        }),
      }),
      data: Type.Object({ data: InspectedToken }),
    }),
    async (request) => {
      const [firstCaller] = listCallers(request);
      if (firstCaller) actFor(request, firstCaller, 'account:read');
      const inspectedKey = await options.authenticator.findToken(request.query.input_token);
      const isSameAccount = inspectedKey !== null && findAccountId(inspectedKey) === findAccountId(request.channelKey);
      if (!isSameAccount) {
        return {
          data: {
            is_valid: false,
            scopes: [],
            error: { code: 190, message: 'The token is invalid or belongs to another account.' },
          },
        };
      }
      const scopes = listScopes(inspectedKey);
      const channels = listWhatsappCallers(inspectedKey).map(({ channel }) => channel);
      const target_ids = [
        ...new Set([...(await findGraphIds(options, channels)).values()].map((ids) => ids.businessAccountId)),
      ];
      return {
        data: {
          app_id: toAppId(inspectedKey),
          application: APP_NAME,
          type: 'SYSTEM_USER',
          is_valid: true,
          expires_at: 0,
          data_access_expires_at: 0,
          scopes,
          granular_scopes: scopes.map((scope) => ({ scope, target_ids })),
        },
      };
    },
  );
};

function findAccountId({ callers }: ChannelKey): string | undefined {
  const [firstCaller] = callers.values();
  return firstCaller?.account.id;
}

function listScopes({ callers }: ChannelKey): string[] {
  const [firstCaller] = callers.values();
  const mayUse = (scope: string) => firstCaller?.scopes.includes('full') || firstCaller?.scopes.includes(scope);
  return [
    ...(mayUse('templates:read') || mayUse('account:read') ? [MANAGEMENT] : []),
    ...(mayUse('messages:send') ? [MESSAGING] : []),
  ];
}
