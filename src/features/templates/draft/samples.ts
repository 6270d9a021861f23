import { isPositionKey, listPlaceholderKeys } from '../../../carriers/template-placeholders.js';
import { isBlank, isLongerThan } from '../../../platform/errors/field-problems.js';
import type { ButtonInput } from './input.js';

/*
 * Meta requires a sample of each parameter for its review ("Template components"): "If this string contains variables,
 * you must include the example property". If a draft has no samples, the parameter names are submitted instead.
 */

const SAMPLES: Readonly<Record<string, { numbered: string; named: string; form: string }>> = {
  HEADER: { numbered: 'header_text', named: 'header_text_named_params', form: '["…"]' },
  BODY: { numbered: 'body_text', named: 'body_text_named_params', form: '[["…"]]' },
};

export function addSamples<T extends { type: string } & Record<string, unknown>>(component: T): T {
  const { type, text, example, buttons, cards } = component;
  if (Array.isArray(cards)) {
    const cardsWithSamples = cards.map((card: { components: T[] }) => ({
      ...card,
      components: card.components.map(addSamples),
    }));
    return { ...component, cards: cardsWithSamples };
  }
  if (Array.isArray(buttons)) return { ...component, buttons: buttons.map(addButtonSample) };
  const keys = listPlaceholderKeys(typeof text === 'string' ? text : '');
  const samples = SAMPLES[type];
  if (!samples || keys.length === 0 || example !== undefined) return component;
  if (!keys.every(isPositionKey)) {
    const namedSamples = keys.map((key) => ({ param_name: key, example: key }));
    return { ...component, example: { [samples.named]: namedSamples } };
  }
  const numbered = keys.map((key) => `sample ${key}`);
  return { ...component, example: { [samples.numbered]: type === 'BODY' ? [numbered] : numbered } };
}

function addButtonSample<T extends { type: string; url?: string; example?: ButtonInput['example'] }>(button: T): T {
  const { type, url = '', example } = button;
  if (example !== undefined) return button;
  if (type === 'COPY_CODE') return { ...button, example: 'SAMPLE1' };
  if (type !== 'URL' || listPlaceholderKeys(url).length === 0) return button;
  return { ...button, example: [url.replace(/\{\{[^{}]*\}\}/, 'sample')] };
}

/** Returns the rule that the example of a header or body breaks, or null if it breaks none. */
export function findSampleProblem(
  type: string,
  text: string | undefined,
  example: Record<string, unknown>,
): string | null {
  const samples = SAMPLES[type];
  const keys = listPlaceholderKeys(text ?? '');
  if (!samples || keys.length === 0 || Object.keys(example).length === 0) return null;
  if (keys.every(isPositionKey)) {
    const sampleField = example[samples.numbered];
    const list = type === 'BODY' && Array.isArray(sampleField) ? sampleField[0] : sampleField;
    if (Array.isArray(list) && list.filter(isSample).length === keys.length) return null;
    return `must contain a sample of each parameter: {"${samples.numbered}": ${samples.form}}`;
  }
  const sampleField = example[samples.named];
  const names = Array.isArray(sampleField) ? sampleField.filter(isNamedSample).map((each) => each.param_name) : [];
  const missing = keys.find((key) => !names.includes(key));
  if (missing === undefined) return null;
  return `must contain a sample of each parameter: {"${samples.named}": [{"param_name": "${missing}", "example": "…"}]}`;
}

export function findLinkSampleProblem(url: string | undefined, example: ButtonInput['example']): string | null {
  if (example === undefined || listPlaceholderKeys(url ?? '').length === 0 || [example].flat().some(isSample))
    return null;
  return 'must be a sample of the URL with its parameter in place';
}

/** @param limit in characters */
export function findCodeSampleProblem(example: ButtonInput['example'], limit: number): string | null {
  if (example === undefined) return null;
  const [sample] = [example].flat().filter(isSample);
  return sample !== undefined && !isLongerThan(sample, limit)
    ? null
    : `must be a sample of the code, of at most ${limit} characters`;
}

function isSample(value: unknown): value is string {
  return typeof value === 'string' && !isBlank(value);
}

function isNamedSample(value: unknown): value is { param_name: string; example: string } {
  if (typeof value !== 'object' || value === null) return false;
  const { param_name: name, example } = value as Record<string, unknown>;
  return typeof name === 'string' && isSample(example);
}
