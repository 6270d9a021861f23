import { expect, it } from 'vitest';
import { regionOfLanguages } from '../../console/src/browser/region.js';

it.each([
  [['de-DE', 'de', 'en-US', 'en'], 'DE'],
  [['de', 'de-AT', 'en-US'], 'AT'],
  [['zh-Hant-TW'], 'TW'],
  // Another language that somebody reads says nothing of their country.
  [['de', 'en-US', 'en'], null],
  [['es-419'], '419'],
  [['fr'], null],
  [[], null],
  [['C', 'de-DE'], 'DE'],
])('%j is of %s', (languages, region) => {
  expect(regionOfLanguages(languages)).toBe(region);
});
