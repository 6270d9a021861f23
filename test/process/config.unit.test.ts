import { resolve } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { type Config, ConfigError, loadConfig } from '../../src/process/settings/config.js';
import { settings } from '../../src/process/settings/settings.js';

function problemsOf(env: Record<string, string>): string[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ setting }) => setting).sort();
    throw error;
  }
  return [];
}

it('the schema of the settings is one, which no start looks at', () => {
  const ajv = new Ajv({ strict: false });
  expect(ajv.validateSchema(settings), ajv.errorsText()).toBe(true);
});

describe('loadConfig', () => {
  it('needs no setting at all', () => {
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

  it('has one address to listen on where the name of this machine has two', () => {
    expect(loadConfig({ HOST: 'localhost' })).toMatchObject({ host: '127.0.0.1', publicUrl: 'http://127.0.0.1:3000' });
    expect(loadConfig({ HOST: '::1' }).host).toBe('::1');
  });

  it('is frozen', () => {
    const config = loadConfig({}) as { -readonly [Key in keyof Config]: Config[Key] };
    expect(() => {
      config.port = 1;
    }).toThrow(TypeError);
  });

  it('lists every wrong setting at once', () => {
    const wrong = {
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
    expect(problemsOf(wrong)).toEqual(Object.keys(wrong).sort());
    expect(() => loadConfig(wrong)).toThrow(/13 settings are wrong/);
  });

  it('does not show the password of a wrong URL', () => {
    expect(() => loadConfig({ DATABASE_URL: 'mysql://user:secret@host/db' })).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('secret') }),
    );
  });

  it.each(['api', 'worker'])('demands DATABASE_URL where ROLE is %s, beside the other wrong settings', (role) => {
    expect(problemsOf({ ROLE: role, PORT: 'x' })).toEqual(['DATABASE_URL', 'PORT']);
    expect(() => loadConfig({ ROLE: role })).toThrow(new RegExp(`DATABASE_URL.*ROLE is ${role}`));
  });

  it('puts DATABASE_PASSWORD into URLs that have a user and no password, whatever its characters', () => {
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

  it('takes an empty value as unset', () => {
    const config = loadConfig({ REDIS_URL: '', PORT: '', SEED_DEMO: '' });
    expect(config).toMatchObject({ port: 3000 });
    expect(config.redisUrl).toBeUndefined();
    expect(config.seedDemo).toBeUndefined();
  });

  it('lets a worker listen only where PORT is given', () => {
    const worker = { ROLE: 'worker', DATABASE_URL: 'postgresql://host/heliograph' };
    expect(loadConfig(worker).listens).toBe(false);
    expect(loadConfig({ ...worker, PORT: '0' }).listens).toBe(true);
  });

  it.each([
    // Never all of X-Forwarded-For, whose beginning the caller writes.
    ['true', 1],
    ['false', false],
    ['2', 2],
    ['10.0.0.0/8, ::1', '10.0.0.0/8, ::1'],
  ])('reads TRUST_PROXY %s as Fastify takes it', (text, value) => {
    expect(loadConfig({ TRUST_PROXY: text }).trustProxy).toBe(value);
  });

  it('reads where the console may say that secrets of carriers stand, and lets it name none of its own', () => {
    expect(loadConfig({}).carrierSecretsEnv).toEqual([]);
    expect(loadConfig({ CARRIER_SECRETS_ENV: 'SMSC_PASSWORD, META_TOKEN' }).carrierSecretsEnv).toEqual([
      'SMSC_PASSWORD',
      'META_TOKEN',
    ]);
    for (const names of ['DATABASE_URL', 'SMSC_PASSWORD,OIDC_CLIENT_SECRET', 'not a name', 'A,,B']) {
      expect(problemsOf({ CARRIER_SECRETS_ENV: names }), names).toEqual(['CARRIER_SECRETS_ENV']);
    }
    expect(problemsOf({ CARRIER_SECRETS_FOLDER: 'relative' })).toEqual(['CARRIER_SECRETS_FOLDER']);
  });

  it.each(['10.0.0.0/33', '10.0.0.0/8/8', '10.0.0', ''])('never reads TRUST_PROXY %j as trust', (text) => {
    expect(problemsOf({ TRUST_PROXY: text })).toEqual(text === '' ? [] : ['TRUST_PROXY']);
  });

  it.each([
    [{ OIDC_ISSUER: 'https://login.example.com' }, ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET']],
    [{ OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'y' }, ['OIDC_ISSUER']],
    [{ OIDC_LABEL: 'Keycloak', OIDC_SCOPES: 'openid' }, []],
  ])('demands the rest where OpenID Connect is configured by %j alone', (given, missing) => {
    expect(problemsOf(given as Record<string, string>)).toEqual(missing);
    const [name = ''] = Object.keys(given);
    if (missing.length > 0) expect(() => loadConfig(given as Record<string, string>)).toThrow(`since ${name}`);
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
  ])('takes the issuer %s: %j', (issuer, isGood) => {
    const given = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'y' };
    expect(problemsOf(given)).toEqual(isGood ? [] : ['OIDC_ISSUER']);
    if (!isGood) expect(() => loadConfig(given)).not.toThrow('secret@');
  });

  it('demands openid among the scopes', () => {
    const given = { OIDC_ISSUER: 'https://x.example', OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'y' };
    expect(loadConfig(given).oidcScopes).toBe('openid email');
    expect(problemsOf({ ...given, OIDC_SCOPES: 'email profile' })).toEqual(['OIDC_SCOPES']);
  });

  it('takes the address of the console without a path', () => {
    expect(loadConfig({ CONSOLE_URL: 'https://console.example.com/' }).consoleUrl).toBe('https://console.example.com');
    expect(loadConfig({}).consoleUrl).toBeUndefined();
    const publicOf = (env: Record<string, string>) => loadConfig(env).publicUrl;
    expect(publicOf({ HOST: '0.0.0.0', PORT: '8080' })).toBe('http://127.0.0.1:8080');
    expect(publicOf({ CONSOLE_URL: 'https://console.example.com' })).toBe('https://console.example.com');
    const both = { CONSOLE_URL: 'https://console.example.com', PUBLIC_URL: 'https://api.example.com/' };
    expect(publicOf(both)).toBe('https://api.example.com');
    expect(problemsOf({ CONSOLE_URL: 'https://example.com/console' })).toEqual(['CONSOLE_URL']);
    expect(problemsOf({ CONSOLE_URL: 'console.example.com' })).toEqual(['CONSOLE_URL']);
  });

  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  it.each<{ given: Record<string, string>; isTraced: boolean }>([
    { given: {}, isTraced: false },
    { given: { OTEL_SERVICE_NAME: 'shop' }, isTraced: false },
    { given: collector, isTraced: true },
    { given: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://x.example/v1/traces' }, isTraced: true },
    { given: { ...collector, OTEL_SDK_DISABLED: 'true' }, isTraced: false },
    { given: { ...collector, OTEL_TRACES_EXPORTER: 'none' }, isTraced: false },
    { given: { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, isTraced: false },
  ])('traces where a collector is named and nothing switches it off: $given', ({ given, isTraced }) => {
    expect(loadConfig(given).tracing !== null).toBe(isTraced);
  });

  it('hands the settings of traces on by their names, with their defaults', () => {
    expect(loadConfig({ ...collector, OTEL_TRACES_SAMPLER_ARG: '0.25' }).tracing).toMatchObject({
      ...collector,
      OTEL_SERVICE_NAME: 'heliograph',
      OTEL_TRACES_SAMPLER: 'parentbased_always_on',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    });
  });

  it('refuses what OpenTelemetry would pass over, and shows neither the headers nor the address of a collector', () => {
    const wrong = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'user:secret@collector:4317',
      OTEL_PROPAGATORS: 'b3',
      OTEL_TRACES_SAMPLER: 'jaeger_remote',
      OTEL_TRACES_SAMPLER_ARG: '25%',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    };
    expect(problemsOf(wrong)).toEqual(Object.keys(wrong).sort());
    expect(() => loadConfig(wrong)).not.toThrow('secret');
  });

  it('ignores variables that are no settings', () => {
    expect(loadConfig({ PATH: '/bin' })).not.toHaveProperty('path');
  });
});
