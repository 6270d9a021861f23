import { expect, it } from 'vitest';
import { guessRegion } from '../../console/src/browser/region.js';

it.each([
  [['de-DE', 'de', 'en-US', 'en'], 'DE'],
  [['de', 'de-AT', 'en-US'], 'AT'],
  [['zh-Hant-TW'], 'TW'],
  // The region of a secondary language does not indicate the user's country.
  [['de', 'en-US', 'en'], null],
  [['es-419'], '419'],
  [['fr'], null],
  [[], null],
  [['C', 'de-DE'], 'DE'],
])('the browser languages %j indicate the region %s', (languages, region) => {
  expect(guessRegion(languages)).toBe(region);
});
