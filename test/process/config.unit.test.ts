import { resolve } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { type Config, ConfigError, loadConfig } from '../../src/process/settings/config.js';
import { settings } from '../../src/process/settings/settings.js';

function invalidSettings(env: Record<string, string>): string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ setting }) => setting).sort();
    throw error;
  }
  return [];
}

it('the schema of the settings is valid JSON Schema, which the server does not check at start', () => {
  const ajv = new Ajv({ strict: false });
  expect(ajv.validateSchema(settings), ajv.errorsText()).toBe(true);
});

describe('loadConfig', () => {
  it('works without any setting', () => {
    expect(loadConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      dataDir: resolve('.data'),
      role: 'all',
      trustProxy: false,
      rateLimitPerSecond: 500,
      smsMaxChars: 1600,
      listens: true,
    });
  });

  it('listens only on 127.0.0.1 for HOST=localhost', () => {
    expect(loadConfig({ HOST: 'localhost' })).toMatchObject({ host: '127.0.0.1', publicUrl: 'http://127.0.0.1:3000' });
    expect(loadConfig({ HOST: '::1' }).host).toBe('::1');
  });

  it('returns a frozen object', () => {
    const config = loadConfig({}) as { -readonly [Key in keyof Config]: Config[Key] };
    expect(() => {
      config.port = 1;
    }).toThrow(TypeError);
  });

  it('lists all invalid settings at once', () => {
    const invalid = {
      PORT: '65536',
      ROLE: 'boss',
      DATABASE_URL: 'mysql://user:secret@host/db',
      REDIS_URL: 'localhost:6379',
      SEED_DEMO: 'perhaps',
      LOG_LEVEL: 'loud',
      LOG_FORMAT: 'xml',
      TRUST_PROXY: 'someone',
      CORS_ORIGIN: 'https://example.com/path',
      BODY_LIMIT_BYTES: '1.5',
      SHUTDOWN_TIMEOUT_MS: '-1',
      PHONE_VALIDATION: 'none',
      QUEUE_PREFIX: 'a:b',
    };
    expect(invalidSettings(invalid)).toEqual(Object.keys(invalid).sort());
    expect(() => loadConfig(invalid)).toThrow(/13 settings are invalid/);
  });

  it('does not show the password of an invalid URL', () => {
    expect(() => loadConfig({ DATABASE_URL: 'mysql://user:secret@host/db' })).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('secret') }),
    );
  });

  it.each(['api', 'worker'])(
    'requires DATABASE_URL when ROLE is %s, and lists other invalid settings as well',
    (role) => {
      expect(invalidSettings({ ROLE: role, PORT: 'x' })).toEqual(['DATABASE_URL', 'PORT']);
      expect(() => loadConfig({ ROLE: role })).toThrow(new RegExp(`DATABASE_URL.*ROLE is ${role}`));
    },
  );

  it('adds DATABASE_PASSWORD, with any characters, to URLs that have a user but no password', () => {
    const password = 'a:b/c@d#e%f? $g';
    const { databaseUrl, databaseReadUrl } = loadConfig({
      DATABASE_URL: 'postgresql://heliograph@first:5432,second:5433/heliograph',
      DATABASE_READ_URL: 'postgresql://heliograph:own@replica/heliograph',
      DATABASE_PASSWORD: password,
    });
    expect(databaseUrl).toBe(
      `postgresql://heliograph:${encodeURIComponent(password)}@first:5432,second:5433/heliograph`,
    );
    expect(databaseReadUrl).toBe('postgresql://heliograph:own@replica/heliograph');
  });

  it('treats an empty value as unset', () => {
    const config = loadConfig({ REDIS_URL: '', PORT: '', SEED_DEMO: '' });
    expect(config).toMatchObject({ port: 3000 });
    expect(config.redisUrl).toBeUndefined();
    expect(config.seedDemo).toBeUndefined();
  });

  it('lets a worker listen only when PORT is set', () => {
    const worker = { ROLE: 'worker', DATABASE_URL: 'postgresql://host/heliograph' };
    expect(loadConfig(worker).listens).toBe(false);
    expect(loadConfig({ ...worker, PORT: '0' }).listens).toBe(true);
  });

  it.each([
    // TRUST_PROXY=true must not trust all of X-Forwarded-For, because the caller can write its beginning.
    ['true', 1],
    ['false', false],
    ['2', 2],
    ['10.0.0.0/8, ::1', '10.0.0.0/8, ::1'],
  ])('converts TRUST_PROXY=%s for Fastify', (text, value) => {
    expect(loadConfig({ TRUST_PROXY: text }).trustProxy).toBe(value);
  });

  it('accepts names of carrier secrets for the console, but not names of settings or invalid names', () => {
    expect(loadConfig({}).carrierSecretsEnv).toEqual([]);
    expect(loadConfig({ CARRIER_SECRETS_ENV: 'SMSC_PASSWORD, META_TOKEN' }).carrierSecretsEnv).toEqual([
      'SMSC_PASSWORD',
      'META_TOKEN',
    ]);
    for (const names of ['DATABASE_URL', 'SMSC_PASSWORD,OIDC_CLIENT_SECRET', 'not a name', 'A,,B']) {
      expect(invalidSettings({ CARRIER_SECRETS_ENV: names }), names).toEqual(['CARRIER_SECRETS_ENV']);
    }
    expect(invalidSettings({ CARRIER_SECRETS_FOLDER: 'relative' })).toEqual(['CARRIER_SECRETS_FOLDER']);
  });

  it.each(['10.0.0.0/33', '10.0.0.0/8/8', '10.0.0', ''])('trusts no proxy with TRUST_PROXY=%j', (text) => {
    expect(invalidSettings({ TRUST_PROXY: text })).toEqual(text === '' ? [] : ['TRUST_PROXY']);
  });

  it.each([
    [{ OIDC_ISSUER: 'https://login.example.com' }, ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET']],
    [{ OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'y' }, ['OIDC_ISSUER']],
    [{ OIDC_LABEL: 'Keycloak', OIDC_SCOPES: 'openid' }, []],
  ])('reports missing OpenID Connect settings when only %j is set', (env, missing) => {
    expect(invalidSettings(env as Record<string, string>)).toEqual(missing);
    const [name = ''] = Object.keys(env);
    if (missing.length > 0) expect(() => loadConfig(env as Record<string, string>)).toThrow(`because ${name}`);
  });

  it.each([
    ['https://login.example.com/realms/staff', true],
    ['http://localhost:8080/realms/staff', true],
    ['http://127.0.0.1:8080', true],
    ['http://[::1]:8080', true],
    ['http://login.example.com', false],
    ['http://localhost.example.com', false],
    ['https://user:secret@login.example.com', false],
    ['https://login.example.com/?a=b', false],
    ['login.example.com', false],
  ])('accepts the OpenID Connect issuer %s: %j', (issuer, isGood) => {
    const env = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'y' };
    expect(invalidSettings(env)).toEqual(isGood ? [] : ['OIDC_ISSUER']);
    if (!isGood) expect(() => loadConfig(env)).not.toThrow('secret@');
  });

  it('requires the scope openid', () => {
    const env = { OIDC_ISSUER: 'https://x.example', OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'y' };
    expect(loadConfig(env).oidcScopes).toBe('openid email');
    expect(invalidSettings({ ...env, OIDC_SCOPES: 'email profile' })).toEqual(['OIDC_SCOPES']);
  });

  it('accepts CONSOLE_URL without a path, and derives the public URL from it', () => {
    expect(loadConfig({ CONSOLE_URL: 'https://console.example.com/' }).consoleUrl).toBe('https://console.example.com');
    expect(loadConfig({}).consoleUrl).toBeUndefined();
    const publicUrlFor = (env: Record<string, string>) => loadConfig(env).publicUrl;
    expect(publicUrlFor({ HOST: '0.0.0.0', PORT: '8080' })).toBe('http://127.0.0.1:8080');
    expect(publicUrlFor({ CONSOLE_URL: 'https://console.example.com' })).toBe('https://console.example.com');
    const bothUrls = { CONSOLE_URL: 'https://console.example.com', PUBLIC_URL: 'https://api.example.com/' };
    expect(publicUrlFor(bothUrls)).toBe('https://api.example.com');
    expect(invalidSettings({ CONSOLE_URL: 'https://example.com/console' })).toEqual(['CONSOLE_URL']);
    expect(invalidSettings({ CONSOLE_URL: 'console.example.com' })).toEqual(['CONSOLE_URL']);
  });

  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  it.each<{ env: Record<string, string>; isTraced: boolean }>([
    { env: {}, isTraced: false },
    { env: { OTEL_SERVICE_NAME: 'shop' }, isTraced: false },
    { env: collector, isTraced: true },
    { env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://x.example/v1/traces' }, isTraced: true },
    { env: { ...collector, OTEL_SDK_DISABLED: 'true' }, isTraced: false },
    { env: { ...collector, OTEL_TRACES_EXPORTER: 'none' }, isTraced: false },
    { env: { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, isTraced: false },
  ])('enables tracing only when a collector is set and nothing turns it off: $env', ({ env, isTraced }) => {
    expect(loadConfig(env).tracing !== null).toBe(isTraced);
  });

  it('passes on tracing settings by variable name, with defaults', () => {
    expect(loadConfig({ ...collector, OTEL_TRACES_SAMPLER_ARG: '0.25' }).tracing).toMatchObject({
      ...collector,
      OTEL_SERVICE_NAME: 'heliograph',
      OTEL_TRACES_SAMPLER: 'parentbased_always_on',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    });
  });

  it('rejects tracing settings that OpenTelemetry would silently ignore, without showing the collector URL', () => {
    const invalid = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'user:secret@collector:4317',
      OTEL_PROPAGATORS: 'b3',
      OTEL_TRACES_SAMPLER: 'jaeger_remote',
      OTEL_TRACES_SAMPLER_ARG: '25%',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    };
    expect(invalidSettings(invalid)).toEqual(Object.keys(invalid).sort());
    expect(() => loadConfig(invalid)).not.toThrow('secret');
  });

  it('ignores variables that are not settings', () => {
    expect(loadConfig({ PATH: '/bin' })).not.toHaveProperty('path');
  });
});
