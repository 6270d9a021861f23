import { describe, expect, it } from 'vitest';
import { findProblems } from '../../../src/carriers/smpp/settings.js';
import { createSmppSettings } from './setup.js';

describe('SMPP settings', () => {
  it.each([
    [{ reconnectMinSeconds: 5, reconnectMaxSeconds: 1 }, 'reconnectMaxSeconds'],
    [{ tls: true, tlsCertificate: 'x' }, 'tlsKey'],
    [{ tls: true, tlsKey: 'x' }, 'tlsCertificate'],
    [{ tlsServerName: 'smsc' }, 'tlsServerName'],
    [{ interfaceVersion: '3.3', multipart: 'sar' }, 'multipart'],
    [{ receiptTimeZone: 'Mars/Olympus' }, 'receiptTimeZone'],
  ] as const)('invalid SMPP settings are rejected with the setting to change: %o', (settings, name) => {
    const problems = findProblems(createSmppSettings(1, settings));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name} `));
  });

  it('valid SMPP settings have no problem', () => {
    expect(
      findProblems(createSmppSettings(1, { tls: true, tlsServerName: 'smsc', receiptTimeZone: 'Europe/Bucharest' })),
    ).toEqual([]);
  });
});
