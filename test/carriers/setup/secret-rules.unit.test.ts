import { describe, expect, it } from 'vitest';
import {
  type AllowedReferences,
  requireAllowedReferences,
  requireSecretsAnew,
} from '../../../src/carriers/setup/secret-rules.js';
import { CARRIER_TYPES } from '../../../src/carriers/types.js';
import { AppError } from '../../../src/platform/errors/app-error.js';

const NOTHING: AllowedReferences = { names: [], folder: null };

/**
 * The settings that are neither secret nor say where secrets go. A new setting fails the walk until it is named here or by
 * its type: whoever adds it says which it is.
 */
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

/** The fields that a check refuses. */
function refusedBy(check: () => void): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.status).toBe(400);
    return error.fields.map(({ field }) => field);
  }
}

describe.each(CARRIER_TYPES.map((type) => [type.type, type] as const))('the secrets of %s', (name, type) => {
  const stored = Object.fromEntries(type.secrets.map((each) => [each, 'stored']));

  it('and the destinations are settings, and every other setting is known to be neither', () => {
    const known = new Set([...type.secrets, ...type.destinations, ...(HARMLESS[name] ?? [])]);
    expect([...known].sort()).toEqual(Object.keys(type.settings.properties).sort());
  });

  it('are never settings of a channel, which nothing hides', () => {
    for (const setting of Object.keys(type.channelSettings?.properties ?? {})) {
      expect(setting).not.toMatch(/token|secret|password|key|url|host/i);
    }
  });

  it.each([...type.secrets])('may not be read from the server: %s', (secret) => {
    for (const reference of ['env:DATABASE_URL', 'file:/etc/passwd', 'file:relative', 'env:']) {
      const given = { ...stored, [secret]: reference };
      const refused = refusedBy(() => requireAllowedReferences(type, given, NOTHING));
      expect(refused, reference).toEqual(reference === 'env:' ? [] : [secret]);
    }
    expect(refusedBy(() => requireAllowedReferences(type, stored, NOTHING))).toEqual([]);
  });

  it.each([...type.destinations])('are asked for again where another %s gets them', (destination) => {
    const before = { ...stored, [destination]: 'here' };
    const after = { ...stored, [destination]: 'elsewhere' };
    const asked = type.secrets.filter((each) => !type.destinations.includes(each));
    const check = (named: string[]) =>
      refusedBy(() => requireSecretsAnew(type, { before, after, named: new Set([destination, ...named]) }));
    expect(check([])).toEqual(asked);
    for (const secret of asked) expect(check(asked.filter((each) => each !== secret))).toEqual([secret]);
    expect(check(asked)).toEqual([]);
    // The same value once more is no change, nor is one that is the default anyway.
    expect(refusedBy(() => requireSecretsAnew(type, { before, after: before, named: new Set([destination]) }))).toEqual(
      [],
    );
    const { [destination]: _, ...without } = { ...stored, [destination]: null };
    const preset = type.settings.properties[destination]?.default;
    const named = preset === undefined ? without : { ...without, [destination]: preset };
    const byDefault = { before: without, after: named, named: new Set([destination]) };
    expect(refusedBy(() => requireSecretsAnew(type, byDefault))).toEqual([]);
  });
});

describe('secrets that stand elsewhere', () => {
  const [type] = CARRIER_TYPES.filter((each) => each.type === 'smpp');
  const check = (password: string, allowed: AllowedReferences) =>
    type ? refusedBy(() => requireAllowedReferences(type, { password }, allowed)) : ['no type'];

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
  ])('%s is refused unless the operator of the machine allows it', (password, refused) => {
    expect(check(password, { names: ['SMSC_PASSWORD'], folder: '/run/carriers/' })).toEqual(refused);
  });
});
