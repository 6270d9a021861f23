import { isPosition, placeholderKeys } from '../../carriers/template-placeholders.js';
import { isBlank } from '../../platform/errors/field-problems.js';
import type { ButtonInput } from './draft-input.js';

/*
 * Meta reviews a template by a sample of each parameter, and takes none without them ("Template components"): "If this
 * string contains variables, you must include the example property".
 */

/** Where Meta wants the samples of a component: those of numbered parameters in a list, of named ones by name. */
const SAMPLES: Readonly<Record<string, { numbered: string; named: string; form: string }>> = {
  HEADER: { numbered: 'header_text', named: 'header_text_named_params', form: '["…"]' },
  BODY: { numbered: 'body_text', named: 'body_text_named_params', form: '[["…"]]' },
};

/** The rule that the example of a header or a body breaks, or null. */
export function missingSample(type: string, text: string | undefined, example: Record<string, unknown>): string | null {
  const samples = SAMPLES[type];
  const keys = placeholderKeys(text ?? '');
  if (!samples || keys.length === 0) return null;
  if (keys.every(isPosition)) {
    const given = example[samples.numbered];
    const list = type === 'BODY' && Array.isArray(given) ? given[0] : given;
    if (Array.isArray(list) && list.filter(isSample).length === keys.length) return null;
    return `must hold a sample of each parameter: {"${samples.numbered}": ${samples.form}}`;
  }
  const given = example[samples.named];
  const named = Array.isArray(given) ? given.filter(isNamedSample).map((each) => each.param_name) : [];
  const missing = keys.find((key) => !named.includes(key));
  if (missing === undefined) return null;
  return `must hold a sample of each parameter: {"${samples.named}": [{"param_name": "${missing}", "example": "…"}]}`;
}

/** The rule that the example of a link breaks, or null. */
export function missingSampleOfLink(url: string | undefined, example: ButtonInput['example']): string | null {
  if (placeholderKeys(url ?? '').length === 0 || [example].flat().some(isSample)) return null;
  return 'must be a sample of the URL with its parameter in place';
}

/** The rule that the example of a code to copy breaks, or null. */
export function missingSampleOfCode(example: ButtonInput['example']): string | null {
  return [example].flat().some(isSample) ? null : 'must be a sample of the code';
}

function isSample(value: unknown): boolean {
  return typeof value === 'string' && !isBlank(value);
}

function isNamedSample(value: unknown): value is { param_name: string; example: string } {
  if (typeof value !== 'object' || value === null) return false;
  const { param_name: name, example } = value as Record<string, unknown>;
  return typeof name === 'string' && isSample(example);
}
