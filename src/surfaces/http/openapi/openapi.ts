import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import { IDEMPOTENCY_LIFETIME_MS } from '../../../accounts/idempotency/idempotency.js';
import { VERSION } from '../../../platform/package-folder.js';
import { IDEMPOTENCY_KEY_PATTERN } from '../idempotency-key.js';
import { withNulls } from './nullable.js';
import { addCommonResponses } from './openapi-answers.js';
import { type Document, shareErrors } from './openapi-errors.js';
import { markOptionalBodies, OPTIONAL_BODY } from './optional-bodies.js';
import { addRecordedExamples } from './recorded-examples.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    idempotent?: boolean;
    takesFile?: string;
  }
}

const IDEMPOTENCY_HOURS = IDEMPOTENCY_LIFETIME_MS / 3_600_000;

const IDEMPOTENCY_HEADERS = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      type: 'string',
      pattern: IDEMPOTENCY_KEY_PATTERN,
      description: `For ${IDEMPOTENCY_HOURS} hours, the same key with the same body returns the first response with \`Idempotent-Replayed: true\`. With a different body or route the response is 422. The order of fields and explicitly written defaults make no difference.`,
    },
  },
};

/** Forms are read part by part, without schema validation. */
function formSchema(part: string) {
  const file = { type: 'string', format: 'binary', description: 'The file, with its Content-Type and file name.' };
  return {
    consumes: ['multipart/form-data'],
    body: { type: 'object', required: [part], properties: { [part]: file } },
  };
}

const TAGS = {
  SMS: 'Version 1.0: SMS to one or several numbers.',
  Messages: 'Version 2: SMS and WhatsApp through one operation.',
  'Account webhooks': 'Endpoints that receive events of the whole account.',
  Account: 'The balance of an account.',
  'Channel messages': 'Surface B: messages of a channel and their delivery status.',
  Conversations: 'Messages between a channel and its contacts.',
  Contacts: 'The people a channel communicates with.',
  'Contact groups': 'Lists of contacts.',
  Audiences: 'Saved conditions that select contacts.',
  Consent: 'Who granted or withdrew consent to messages.',
  Media: 'Files for messages: uploaded by you or sent by contacts.',
  Templates: 'WhatsApp message templates of a channel.',
  Campaigns: 'A template message to every contact of a group.',
  Automations: 'Sequences of steps for a contact.',
  Webhooks: 'Endpoints that receive events, signed according to Standard Webhooks.',
  'Channel account': 'The channel and the usage of its keys.',
  "Meta's surface": 'For clients of the WhatsApp Cloud API: use `/graph` instead of graph.facebook.com.',
  "Twilio's surface": "For clients of Twilio's REST API: use this server instead of api.twilio.com.",
  Simulator: 'Simulates messages from contacts.',
  Console: 'Only for the console in the browser, and may change with it. Programs should use the other operations.',
  Health: 'For probes: whether a process runs and whether it can accept messages.',
};

/** `app.swagger()` covers only endpoints registered after this plugin. */
export const openApi = plugin(
  async (app: FastifyInstance) => {
    await app.register(swagger, {
      convertConstToEnum: false,
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'Heliograph',
          version: VERSION,
          description: 'Sends SMS and WhatsApp messages and reports their delivery.',
          license: { name: 'MIT', identifier: 'MIT' },
        },
        servers: [{ url: '/' }],
        tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
        components: {
          securitySchemes: {
            bearer: { type: 'http', scheme: 'bearer', description: 'Key of an app with the scope `rest`.' },
            apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'Key of a channel.' },
            bearerApiKey: { type: 'http', scheme: 'bearer', description: 'Key of a channel, instead of X-API-Key.' },
            apiSecret: { type: 'apiKey', in: 'header', name: 'X-API-Secret', description: 'The secret of the key.' },
            channelId: { type: 'apiKey', in: 'header', name: 'X-Channel-Id', description: 'A channel of the key.' },
            channelToken: {
              type: 'http',
              scheme: 'bearer',
              description: 'Key and secret of a channel, joined by a dot.',
            },
            accessToken: {
              type: 'apiKey',
              in: 'query',
              name: 'access_token',
              description: 'The same token, if it is not sent in a header.',
            },
            accountSid: {
              type: 'http',
              scheme: 'basic',
              description:
                'User name: the SID of the account (`AC…`) or of the key (`SK…`). Password: the key of an app with the scope `rest`.',
            },
            session: {
              type: 'apiKey',
              in: 'cookie',
              name: 'heliograph',
              description: 'A console session. Over https the cookie is called `__Host-heliograph`.',
            },
          },
        },
      },
      transform: ({ schema, url, route }) => ({
        schema: {
          ...schema,
          ...(schema?.body ? { body: withNulls(schema.body) } : {}),
          ...(route.config?.takesFile !== undefined && formSchema(route.config.takesFile)),
          ...(route.config?.idempotent && { headers: IDEMPOTENCY_HEADERS }),
          ...(route.config?.optionalBody && { [OPTIONAL_BODY]: true }),
        },
        url,
      }),
      transformObject: (result) => {
        const document = 'openapiObject' in result ? result.openapiObject : result.swaggerObject;
        markOptionalBodies(document as Document);
        addCommonResponses(document as Document);
        addRecordedExamples(document as Document);
        shareErrors(document as Document);
        return document;
      },
    });
  },
  { name: 'openapi' },
);
