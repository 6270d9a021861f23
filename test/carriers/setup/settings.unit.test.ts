import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, describe, expect, it } from 'vitest';
import {
  checkChannelSettings,
  checkSettings,
  maskSecrets,
  parseSettings,
  resolveSettings,
} from '../../../src/carriers/settings.js';
import { CARRIER_TYPES } from '../../../src/carriers/types.js';
import { createScriptedType } from '../../support/carriers/scripted-carrier.js';

const type = createScriptedType();
const folder = mkdtempSync(join(tmpdir(), 'heliograph-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.each(CARRIER_TYPES)('the settings schemas of $type are valid JSON schemas', (carrierType) => {
  const { settings, presets = [], channelSettings = {} } = carrierType;
  const ajv = new Ajv({ strict: false });
  for (const schema of [settings, channelSettings, ...presets.map((preset) => preset.settings)]) {
    expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
  }
});

describe('the settings of a carrier', () => {
  it('the settings of a carrier are completed with defaults', () => {
    expect(checkSettings(type, { host: 'a' })).toEqual({ host: 'a', port: 2775, tls: false });
  });

  it.each<[Record<string, unknown>, RegExp]>([
    [{}, /^host must be set$/],
    [{ host: 'a', port: 0 }, /^port must be >= 1 \(it is 0\)$/],
    [{ host: 'a', port: '2776' }, /^port must be integer \(it is "2776"\)$/],
    [{ host: 'a', hots: 'b' }, /^hots is not a setting; valid settings: host, port, password, tls$/],
    [{ port: 0, tls: 'yes' }, /host must be set.*port must be >= 1.*tls must be boolean/],
    [{ host: 'a', tls: true }, /port 2775 is not for TLS/],
  ])('the settings %j are rejected with every problem named', (settings, message) => {
    expect(() => checkSettings(type, settings)).toThrow(message);
  });

  it('the settings of a carrier are rejected without revealing a secret', () => {
    expect(() => checkSettings(type, { host: 'a', password: 'much too long' })).toThrow(
      /^password must NOT have more than 8 characters$/,
    );
  });

  it('the settings of a carrier may refer to an environment variable, whose value is validated on use', () => {
    const settings = { host: 'a', password: 'env:SMSC_PASSWORD' };
    expect(checkSettings(type, settings)).toMatchObject(settings);
    expect(resolveSettings(type, settings, { SMSC_PASSWORD: 'secret' })).toMatchObject({ password: 'secret' });
    expect(() => resolveSettings(type, settings, { SMSC_PASSWORD: 'much too long' })).toThrow(
      /more than 8 characters$/,
    );
    expect(() => resolveSettings(type, settings, {})).toThrow(
      'password refers to the environment variable SMSC_PASSWORD, which is not set',
    );
  });

  it('the settings of a carrier may refer to a file, whose final line break is ignored', () => {
    const path = join(folder, 'password');
    writeFileSync(path, ' p4ss \n');
    expect(resolveSettings(type, { host: 'a', password: `file:${path}` }, {})).toMatchObject({ password: ' p4ss ' });
    expect(() => resolveSettings(type, { host: 'a', password: 'file:/nowhere/at/all' }, {})).toThrow(
      'password refers to the file /nowhere/at/all, which cannot be read (ENOENT)',
    );
  });

  it('the settings of a carrier are shown with masked secrets and readable references', () => {
    expect(maskSecrets(type, { host: 'a', password: 'p4ss' })).toEqual({ host: 'a', password: '***' });
    expect(maskSecrets(type, { password: 'env:NAME' })).toEqual({ password: 'env:NAME' });
    expect(maskSecrets(null, { host: 'a', token: 't' })).toEqual({ host: '***', token: '***' });
  });

  it('the settings of a carrier are parsed from the command line according to their types', () => {
    const pairs = ['host=smsc=1', 'port=2776', 'tls=true', 'password=', 'unknown=1'];
    expect(parseSettings(type.settings, pairs)).toEqual({
      host: 'smsc=1',
      port: 2776,
      tls: true,
      password: '',
      unknown: '1',
    });
    expect(parseSettings(type.settings, ['port=many'])).toEqual({ port: 'many' });
    expect(() => parseSettings(type.settings, ['host'])).toThrow('host must be written name=value');
  });
});

describe('the channel settings of a carrier type', () => {
  it('the channel settings of a carrier type are validated', () => {
    expect(checkChannelSettings(type, { phoneNumberId: '123' })).toEqual({ phoneNumberId: '123' });
    expect(() => checkChannelSettings(type, {})).toThrow('phoneNumberId must be set');
  });

  it('the channel settings of a carrier type must be empty if the type has none', () => {
    expect(checkChannelSettings(null, {})).toBeNull();
    expect(() => checkChannelSettings(null, { phoneNumberId: '1' })).toThrow(
      'phoneNumberId is not a channel setting of this carrier',
    );
  });
});
