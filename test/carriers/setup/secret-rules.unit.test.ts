import { describe, expect, it } from 'vitest';
import {
  type AllowedReferences,
  requireAllowedReferences,
  requireSecretsAgain,
} from '../../../src/carriers/setup/secret-rules.js';
import { CARRIER_TYPES } from '../../../src/carriers/types.js';
import { AppError } from '../../../src/platform/errors/app-error.js';

const NOTHING: AllowedReferences = { names: [], folder: null };

/** Carrier settings that are neither secrets nor destinations. The test fails for a new setting until it is classified. */
const HARMLESS: Record<string, readonly string[]> = {
  smpp: [
    ...['systemId', 'systemType', 'interfaceVersion', 'bindType', 'binds', 'addressTon', 'addressNpi', 'addressRange'],
    ...['window', 'ratePerSecond', 'connectTimeoutSeconds', 'responseTimeoutSeconds', 'enquireLinkSeconds'],
    ...['reconnectMinSeconds', 'reconnectMaxSeconds', 'multipart', 'serviceType', 'sourceTon', 'sourceNpi'],
    ...['destinationTon', 'destinationNpi', 'validityPeriod', 'retryStatuses', 'intermediateReceipts'],
    ...['responseIdFormat', 'receiptIdFormat', 'receiptTimeZone', 'receiptsWithoutClass', 'inboundAlphabet'],
    'countryCallingCode',
  ],
  http: [
    ...['preset', 'method', 'query', 'headers', 'form', 'json', 'encodingGsm', 'encodingUcs2', 'authentication'],
    ...['username', 'usernameName', 'secretName', 'scope', 'success', 'idPath', 'idPattern', 'codePath', 'codePattern'],
    ...['messagePath', 'finalCodes', 'againCodes', 'throttledCodes', 'creditCodes', 'credentialCodes', 'balancePath'],
    ...['callbackUsername', 'callbackSignatureHeader', 'callbackSignatureAlgorithm', 'callbackSignatureEncoding'],
    ...['callbackSignaturePrefix', 'callbackAddresses', 'callbackAnswer', 'receiptItems', 'receiptId', 'receiptOurId'],
    ...['receiptStatus', 'receiptStates', 'receiptCode', 'receiptMessage', 'receiptAt', 'inboundItems', 'inboundId'],
    ...[
      'inboundFrom',
      'inboundTo',
      'inboundText',
      'inboundAt',
      'pollSeconds',
      'ratePerSecond',
      'parallel',
      'timeoutMs',
    ],
  ],
  'whatsapp-cloud': ['businessAccountId', 'portfolioId', 'apiVersion', 'ratePerSecond', 'timeoutMs'],
  simulator: ['delayMs'],
};

function listRefusedFields(check: () => void): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.status).toBe(400);
    return error.fields.map(({ field }) => field);
  }
}

describe.each(CARRIER_TYPES.map((type) => [type.type, type] as const))('secrets of the type %s', (name, type) => {
  const storedSettings = Object.fromEntries(type.secrets.map((secret) => [secret, 'stored']));

  it('every setting is classified as secret, destination or harmless', () => {
    const classified = new Set([...type.secrets, ...type.destinations, ...(HARMLESS[name] ?? [])]);
    expect([...classified].sort()).toEqual(Object.keys(type.settings.properties).sort());
  });

  it('channels have no secret settings, because nothing masks them', () => {
    for (const setting of Object.keys(type.channelSettings?.properties ?? {})) {
      expect(setting).not.toMatch(/token|secret|password|key|url|host/i);
    }
  });

  it.each([...type.secrets])('%s may not refer to arbitrary variables and files of the server', (secret) => {
    for (const reference of ['env:DATABASE_URL', 'file:/etc/passwd', 'file:relative', 'env:']) {
      const settings = { ...storedSettings, [secret]: reference };
      const refusedFields = listRefusedFields(() => requireAllowedReferences(type, settings, NOTHING));
      expect(refusedFields, reference).toEqual(reference === 'env:' ? [] : [secret]);
    }
    expect(listRefusedFields(() => requireAllowedReferences(type, storedSettings, NOTHING))).toEqual([]);
  });

  it.each([...type.destinations])('secrets must be entered again when %s changes', (destination) => {
    const before = { ...storedSettings, [destination]: 'here' };
    const after = { ...storedSettings, [destination]: 'elsewhere' };
    const required = type.secrets.filter((secret) => !type.destinations.includes(secret));
    const check = (entered: string[]) =>
      listRefusedFields(() =>
        requireSecretsAgain(type, { before, after, entered: new Set([destination, ...entered]) }),
      );
    expect(check([])).toEqual(required);
    for (const secret of required) expect(check(required.filter((entry) => entry !== secret))).toEqual([secret]);
    expect(check(required)).toEqual([]);
    expect(
      listRefusedFields(() => requireSecretsAgain(type, { before, after: before, entered: new Set([destination]) })),
    ).toEqual([]);
    const { [destination]: _, ...without } = { ...storedSettings, [destination]: null };
    const preset = type.settings.properties[destination]?.default;
    const entered = preset === undefined ? without : { ...without, [destination]: preset };
    const byDefault = { before: without, after: entered, entered: new Set([destination]) };
    expect(listRefusedFields(() => requireSecretsAgain(type, byDefault))).toEqual([]);
  });
});

describe('a reference to a secret', () => {
  const [type] = CARRIER_TYPES.filter((candidate) => candidate.type === 'smpp');
  const check = (password: string, allowed: AllowedReferences) =>
    type ? listRefusedFields(() => requireAllowedReferences(type, { password }, allowed)) : ['no type'];

  it.each([
    ['env:SMSC_PASSWORD', []],
    ['env:SMSC_PASSWORD2', ['password']],
    ['file:/run/carriers/smsc', []],
    ['file:/run/carriers/deep/smsc', []],
    ['file:/run/carriers', ['password']],
    ['file:/run/carriers-too/smsc', ['password']],
    ['file:/run/carriers/../other', ['password']],
    ['file:/run/carriers/..data/smsc', []],
    ['file:run/carriers/smsc', ['password']],
  ])('%s is refused unless CARRIER_SECRETS_ENV or CARRIER_SECRETS_FOLDER allows it', (password, refusedFields) => {
    expect(check(password, { names: ['SMSC_PASSWORD'], folder: '/run/carriers/' })).toEqual(refusedFields);
  });
});
