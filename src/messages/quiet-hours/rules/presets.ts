import type { RulePreset } from '../rule.js';
import { COUNTRY_PRESETS } from './country-presets.js';
import { US_PRESETS } from './us-presets.js';

/**
 * Rules for one country or US state each, with the law that sets their hours. Not included are states whose hours are those of
 * the federal rule, and laws that cover only automatic or recorded calls.
 */
export const RULE_PRESETS: readonly RulePreset[] = [...US_PRESETS, ...COUNTRY_PRESETS];
