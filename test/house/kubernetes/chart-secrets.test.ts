import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { settings } from '../../../src/process/settings/settings.js';
import { PROJECT_FOLDER } from '../../support/processes/server-process.js';

const SCHEMA = join(PROJECT_FOLDER, 'deploy', 'helm', 'heliograph', 'values.schema.json');

/** Set by the chart itself. */
const SET_BY_CHART = ['ROLE', 'PORT', 'METRICS_PORT', 'DATA_DIR'];

/** Matches secrets and the addresses of stores, which contain passwords. */
const isSecret = (name: string) => /_SECRET$|_TOKEN$|_SECRET_ACCESS_KEY$|^DATABASE_(\w+_)?URL$/.test(name);

it('the chart rejects every secret setting among its plain values, and reads it only from the Secret', () => {
  const { definitions } = JSON.parse(readFileSync(SCHEMA, 'utf8'));
  const refused: string[] = definitions.settings.propertyNames.not.enum;
  const secrets = Object.keys(settings.properties).filter(isSecret);
  expect(secrets).toContain('DATABASE_URL');
  expect([...refused].sort()).toEqual([...SET_BY_CHART, ...secrets].sort());
});
