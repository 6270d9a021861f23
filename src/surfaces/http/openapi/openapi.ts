import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import plugin from 'fastify-plugin';
import { IDEMPOTENCY_LIFETIME_MS } from '../../../accounts/idempotency/idempotency.js';
import { VERSION } from '../../../platform/package-folder.js';
import { IDEMPOTENCY_KEY_PATTERN } from '../idempotency-key.js';
import { withNulls } from './nullable.js';
import { completeAnswers } from './openapi-answers.js';
import { type Document, shareErrors } from './openapi-errors.js';
import { OPTIONAL_BODY, tellOptionalBodies } from './optional-bodies.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The endpoint takes an `Idempotency-Key`. */
    idempotent?: boolean;
    /** The endpoint takes a form with a file in a part of this name. */
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
      description: `For ${IDEMPOTENCY_HOURS} hours the same key with the same body repeats the first answer, with \`Idempotent-Replayed: true\`; with another body, or on another route, it is 422. The order of fields means nothing, nor whether a default is written out.`,
    },
  },
};

/** A body that is read part by part, so that no schema checks it. */
function formWith(part: string) {
  const file = { type: 'string', format: 'binary', description: 'With its Content-Type and its name.' };
  return {
    consumes: ['multipart/form-data'],
    body: { type: 'object', required: [part], properties: { [part]: file } },
  };
}

/** The headings of the document, in its order, and what stands below each. */
const TAGS = {
  SMS: 'Version 1.0: SMS to one or several numbers.',
  Messages: 'Version 2: SMS and WhatsApp through one operation.',
  'Account webhooks': 'Endpoints that are told of events of the whole account.',
  Account: 'What an account has: its balance.',
  'Channel messages': 'Surface B: WhatsApp messages of a channel, and what became of each.',
  Conversations: 'What a channel and a contact wrote to each other.',
  Contacts: 'The people that a channel talks with.',
  'Contact groups': 'Lists of contacts.',
  Media: 'Files that messages show: what was uploaded, and what contacts sent.',
  Templates: 'WhatsApp message templates of a channel.',
  Campaigns: 'One template message to each contact of a group.',
  Automations: 'Steps that a contact is led through.',
  Webhooks: 'Endpoints that are told of events, signed by Standard Webhooks.',
  'Channel account': 'The channel, and how much its keys were used.',
  "Meta's surface": 'What clients of the WhatsApp Cloud API ask, at `/graph` in the place of graph.facebook.com.',
  "Twilio's surface": "What clients of Twilio's REST API ask, at the server in the place of api.twilio.com.",
  Simulator: 'Plays what a carrier would report.',
  Console: 'What the console in the browser asks. It changes with the console: programs call the other operations.',
  Health: 'For probes: whether a process runs, and whether it can accept messages.',
};

/**
 * Collects the schemas of every endpoint registered after it into an OpenAPI 3.1 document: `app.swagger()`.
 */
export const openApi = plugin(
  async (app: FastifyInstance) => {
    await app.register(swagger, {
      convertConstToEnum: false,
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'Heliograph',
          version: VERSION,
          description: 'Sends SMS and WhatsApp messages, and tells what became of each.',
          license: { name: 'MIT', identifier: 'MIT' },
        },
        servers: [{ url: '/' }],
        tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
        components: {
          securitySchemes: {
            bearer: { type: 'http', scheme: 'bearer', description: 'Key of an app with the scope `rest`.' },
            apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'Key of a channel.' },
            bearerApiKey: { type: 'http', scheme: 'bearer', description: 'Key of a channel, in place of X-API-Key.' },
            apiSecret: { type: 'apiKey', in: 'header', name: 'X-API-Secret', description: 'The secret of the key.' },
            channelId: { type: 'apiKey', in: 'header', name: 'X-Channel-Id', description: 'A channel of the key.' },
            channelToken: {
              type: 'http',
              scheme: 'bearer',
              description: 'Key and secret of a channel, with a point between them.',
            },
            accessToken: {
              type: 'apiKey',
              in: 'query',
              name: 'access_token',
              description: 'The same, where no header has it.',
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
              description: 'A session of the console; over https its name is `__Host-heliograph`.',
            },
          },
        },
      },
      transform: ({ schema, url, route }) => ({
        schema: {
          ...schema,
          ...(schema?.body ? { body: withNulls(schema.body) } : {}),
          ...(route.config?.takesFile !== undefined && formWith(route.config.takesFile)),
          ...(route.config?.idempotent && { headers: IDEMPOTENCY_HEADERS }),
          ...(route.config?.optionalBody && { [OPTIONAL_BODY]: true }),
        },
        url,
      }),
      transformObject: (made) => {
        const document = 'openapiObject' in made ? made.openapiObject : made.swaggerObject;
        tellOptionalBodies(document as Document);
        completeAnswers(document as Document);
        shareErrors(document as Document);
        return document;
      },
    });
  },
  { name: 'openapi' },
);
