import { describe, expect, it } from 'vitest';
import { suiteApp } from '../support/suite.js';

describe('docs/openapi.json', () => {
  const test = suiteApp({ role: 'api' });

  it('is the document that the server generates (otherwise: npm run openapi, and review the change)', async () => {
    const response = await test.app.inject({ url: '/openapi.json' });
    const document = response.json();
    expect(document.openapi).toMatch(/^3\.1\./);
    await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot('../../docs/openapi.json');
  });
});
