import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/test-app.js';

describe('docs/openapi.json', () => {
  let test: TestApp;

  beforeAll(async () => {
    test = await testApp({ role: 'api' });
  });

  afterAll(() => test?.close());

  it('is the document that the server generates (otherwise: npm run openapi, and review the change)', async () => {
    const response = await test.app.inject({ url: '/openapi.json' });
    const document = response.json();
    expect(document.openapi).toMatch(/^3\.1\./);
    await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot('../../docs/openapi.json');
  });
});
