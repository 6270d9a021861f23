import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { buildStoredPlan } from '../../../../src/carriers/http-api/build-plan.js';
import { HTTP_PRESETS } from '../../../../src/carriers/http-api/presets/presets.js';

const page = readFileSync('docs/carriers/http.md', 'utf8');
const SECRET = /(?:password|secret|token|key)$/i;
/** Settings that are public although their names suggest a secret. */
const PUBLIC = new Set(['publicKey', 'vonage.apiKey']);

describe.each(HTTP_PRESETS.map((preset) => [preset.name, preset] as const))('the preset %s', (name, preset) => {
  it('describes every setting, and marks secrets as such', () => {
    for (const [setting, { description }] of Object.entries(preset.settings.properties)) {
      expect(description, setting).toMatch(/^\S.*\.$/s);
      if (PUBLIC.has(setting) || PUBLIC.has(`${name}.${setting}`)) continue;
      expect(preset.secrets.includes(setting), `${setting} is secret`).toBe(SECRET.test(setting));
    }
    for (const classified of [...preset.secrets, ...preset.destinations]) {
      expect(Object.keys(preset.settings.properties)).toContain(classified);
    }
    expect(preset.destinations).toContain('baseUrl');
    expect(preset.help).toMatch(/\.$/);
  });

  it('is listed in docs/carriers/http.md', () => {
    expect(page).toContain(`| \`${name}\` |`);
  });

  it('reads reports without access to its secrets', () => {
    const { properties, required = [] } = preset.settings;
    const withoutDefault = required.filter((setting) => properties[setting]?.default === undefined);
    const storedSettings = Object.fromEntries(withoutDefault.map((setting) => [setting, 'env:NOWHERE']));
    const plan = buildStoredPlan({ ...storedSettings, preset: name, publicUrl: 'https://heliograph.example' });
    expect(plan.receipts).not.toBeNull();
    expect(plan).toMatchObject({ parallel: 20, publicUrl: 'https://heliograph.example' });
  });
});
