import { describe, expect, it } from 'vitest';
import { createTestOperator, ORIGIN, PASSWORD } from '../../support/operators.js';
import { suiteApp } from '../../support/suite.js';

const PROXY = '10.0.0.1';

describe('a server behind a proxy trusted by TRUST_PROXY=true', () => {
  const heliograph = suiteApp({ role: 'api', settings: { TRUST_PROXY: 'true' } });
  const forwardedHeaders = (forwarded: string, overrides: Record<string, string> = {}) => ({
    remoteAddress: PROXY,
    headers: { 'x-forwarded-for': forwarded, ...overrides },
  });

  it('uses the headers of the proxy, but not those of the caller', async () => {
    const { name } = await createTestOperator(heliograph, { password: PASSWORD });
    const response = await heliograph.app.inject({
      method: 'POST',
      url: '/admin/v1/session',
      ...forwardedHeaders('198.51.100.66, 203.0.113.7', { origin: ORIGIN, 'content-type': 'application/json' }),
      payload: { name, password: PASSWORD },
    });
    expect(response.statusCode).toBe(200);
    const { address } = await heliograph.deps.prisma.operatorSession.findFirstOrThrow({
      orderBy: { createdAt: 'desc' },
    });
    expect(address).toBe('203.0.113.7');
  });

  it('sends HSTS to browsers that use https', async () => {
    const httpsResponse = await heliograph.app.inject({
      url: '/health',
      ...forwardedHeaders('203.0.113.7', { 'x-forwarded-proto': 'https' }),
    });
    expect(httpsResponse.headers['strict-transport-security']).toBe('max-age=31536000');
    const httpResponse = await heliograph.app.inject({
      url: '/health',
      ...forwardedHeaders('203.0.113.7', { 'x-forwarded-proto': 'http' }),
    });
    expect(httpResponse.headers).not.toHaveProperty('strict-transport-security');
  });
});

describe('a server behind an untrusted proxy', () => {
  const heliograph = suiteApp({ role: 'api', settings: { CONSOLE_URL: 'https://console.example.com' } });

  it('sends HSTS if CONSOLE_URL uses https', async () => {
    const { headers } = await heliograph.app.inject({ url: '/console/' });
    expect(headers['strict-transport-security']).toBe('max-age=31536000');
  });
});
