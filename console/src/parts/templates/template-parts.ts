import { isPosition, placeholderKeys } from '../../../../src/carriers/template-placeholders.js';
import { type Components, cardsOf, componentOf, listOf, readTemplate, recordOf, textOf } from './template-view.js';

/** A value that a template needs before it can be sent. */
export interface Slot {
  id: string;
  /** Index of the carousel card, from 0. Absent outside a carousel. */
  card?: number;
  part: 'header' | 'body' | 'button' | 'offer';
  /** Position or name of a placeholder, or a field of a location, product or product list. Otherwise empty. */
  key: string;
  kind: 'text' | 'link' | 'code' | 'time' | 'place' | 'product' | 'products';
  format?: string;
  index?: number;
  example: string;
}

const LINKED = ['IMAGE', 'VIDEO', 'DOCUMENT'];
const PLACE = ['name', 'address', 'latitude', 'longitude'];
const PRODUCT = ['product_retailer_id', 'catalog_id'];
const PRODUCTS = ['title', 'product_ids'];

/** All values that sending the template requires, from top to bottom, then card by card. */
export function slotsOf(components: Components): Slot[] {
  const cards = cardsOf(components).flatMap((card, index) =>
    ownSlots(card, `card${index}.`).map((slot) => ({ ...slot, card: index })),
  );
  return [...ownSlots(components, ''), ...cards];
}

function ownSlots(components: Components, root: string): Slot[] {
  const { header, body, buttons, offer } = readTemplate(components);
  const slots: Slot[] = [];
  const format = header?.format ?? 'TEXT';
  const headerId = `${root}header`;
  const addHeaderFields = (kind: Slot['kind'], keys: readonly string[]) => {
    for (const key of keys) slots.push({ id: `${headerId}.${key}`, part: 'header', key, kind, format, example: '' });
  };
  if (LINKED.includes(format)) slots.push({ id: headerId, part: 'header', key: '', kind: 'link', format, example: '' });
  if (format === 'LOCATION') addHeaderFields('place', PLACE);
  if (format === 'PRODUCT') addHeaderFields('product', PRODUCT);
  const examples = examplesOf(components, root);
  const add = (part: Slot['part'], text: string, prefix: string, index?: number) => {
    for (const key of placeholderKeys(text)) {
      const id = `${prefix}.${key}`;
      slots.push({ id, part, key, kind: 'text', example: examples[id] ?? '', ...(index !== undefined && { index }) });
    }
  };
  if (format === 'TEXT') add('header', header?.text ?? '', headerId);
  add('body', body, `${root}body`);
  if (offer?.ends) slots.push({ id: `${root}offer`, part: 'offer', key: '', kind: 'time', example: '' });
  for (const [index, button] of buttons.entries()) {
    const id = `${root}button${index}`;
    if (button.type === 'URL') add('button', button.url, id, index);
    if (button.type === 'COPY_CODE') slots.push({ id, part: 'button', key: '', kind: 'code', index, example: '' });
    if (button.type === 'MPM') {
      for (const key of PRODUCTS) {
        slots.push({ id: `${id}.${key}`, part: 'button', key, kind: 'products', index, example: '' });
      }
    }
  }
  return slots;
}

/** @param root prefix of slot IDs within a card */
export function examplesOf(components: Components, root = ''): Record<string, string> {
  const examples: Record<string, string> = {};
  const read = (part: 'header' | 'body', numberedExamples: unknown, namedExamples: unknown) => {
    for (const [index, value] of listOf(numberedExamples).entries()) examples[`${root}${part}.${index + 1}`] = textOf(value);
    for (const each of listOf(namedExamples)) {
      const { param_name, example } = recordOf(each);
      examples[`${root}${part}.${textOf(param_name)}`] = textOf(example);
    }
  };
  const header = recordOf(componentOf(components, 'HEADER')?.example);
  read('header', header.header_text, header.header_text_named_params);
  const body = recordOf(componentOf(components, 'BODY')?.example);
  read('body', listOf(body.body_text)[0], body.body_text_named_params);
  for (const [index, button] of listOf(componentOf(components, 'BUTTONS')?.buttons).entries()) {
    const { type, url, example } = recordOf(button);
    const exampleText = textOf(Array.isArray(example) ? example[0] : example);
    if (textOf(type).toUpperCase() === 'COPY_CODE') examples[`${root}button${index}`] = exampleText;
    const [key] = placeholderKeys(textOf(url));
    const [start = ''] = textOf(url).split('{{');
    // The example is a complete URL, but the parameter is only its end.
    if (key) {
      examples[`${root}button${index}.${key}`] = exampleText.startsWith(start)
        ? exampleText.slice(start.length)
        : exampleText;
    }
  }
  for (const [index, card] of cardsOf(components).entries()) Object.assign(examples, examplesOf(card, `card${index}.`));
  return examples;
}

/** Placeholders are either all numbers, as in `{{1}}`, or all names. */
export function isNumbered(slots: readonly Slot[]): boolean {
  return slots.every(({ kind, key }) => kind === 'text' && isPosition(key));
}
