import { isPositionKey, listPlaceholderKeys } from '../../../../src/carriers/template-placeholders.js';
import { asList, asRecord, asText, type Components, findComponent, listCards, readTemplate } from './template-view.js';

/** A value that a template needs before it can be sent. */
export interface Slot {
  id: string;
  /** Index of the carousel card, from 0, or absent outside a carousel. */
  card?: number;
  part: 'header' | 'body' | 'button' | 'offer';
  /** Position or name of a placeholder, or name of a field of a location, product or product list; empty for other slots. */
  key: string;
  kind: 'text' | 'link' | 'code' | 'time' | 'place' | 'product' | 'products';
  format?: string;
  index?: number;
  example: string;
}

const LINK_FORMATS = ['IMAGE', 'VIDEO', 'DOCUMENT'];
const LOCATION_KEYS = ['name', 'address', 'latitude', 'longitude'];
const PRODUCT_KEYS = ['product_retailer_id', 'catalog_id'];
const PRODUCT_LIST_KEYS = ['title', 'product_ids'];

/** Lists the values that sending the template requires, from top to bottom and then card by card. */
export function listSlots(components: Components): Slot[] {
  const cards = listCards(components).flatMap((card, index) =>
    listOwnSlots(card, `card${index}.`).map((slot) => ({ ...slot, card: index })),
  );
  return [...listOwnSlots(components, ''), ...cards];
}

function listOwnSlots(components: Components, root: string): Slot[] {
  const { header, body, buttons, offer } = readTemplate(components);
  const slots: Slot[] = [];
  const format = header?.format ?? 'TEXT';
  const headerId = `${root}header`;
  const addHeaderFields = (kind: Slot['kind'], keys: readonly string[]) => {
    for (const key of keys) slots.push({ id: `${headerId}.${key}`, part: 'header', key, kind, format, example: '' });
  };
  if (LINK_FORMATS.includes(format))
    slots.push({ id: headerId, part: 'header', key: '', kind: 'link', format, example: '' });
  if (format === 'LOCATION') addHeaderFields('place', LOCATION_KEYS);
  if (format === 'PRODUCT') addHeaderFields('product', PRODUCT_KEYS);
  const examples = readExamples(components, root);
  const add = (part: Slot['part'], text: string, prefix: string, index?: number) => {
    for (const key of listPlaceholderKeys(text)) {
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
      for (const key of PRODUCT_LIST_KEYS) {
        slots.push({ id: `${id}.${key}`, part: 'button', key, kind: 'products', index, example: '' });
      }
    }
  }
  return slots;
}

/** @param root prefix of slot IDs within a card */
export function readExamples(components: Components, root = ''): Record<string, string> {
  const examples: Record<string, string> = {};
  const addExamples = (part: 'header' | 'body', numberedExamples: unknown, namedExamples: unknown) => {
    for (const [index, value] of asList(numberedExamples).entries())
      examples[`${root}${part}.${index + 1}`] = asText(value);
    for (const namedExample of asList(namedExamples)) {
      const { param_name, example } = asRecord(namedExample);
      examples[`${root}${part}.${asText(param_name)}`] = asText(example);
    }
  };
  const header = asRecord(findComponent(components, 'HEADER')?.example);
  addExamples('header', header.header_text, header.header_text_named_params);
  const body = asRecord(findComponent(components, 'BODY')?.example);
  addExamples('body', asList(body.body_text)[0], body.body_text_named_params);
  for (const [index, button] of asList(findComponent(components, 'BUTTONS')?.buttons).entries()) {
    const { type, url, example } = asRecord(button);
    const exampleText = asText(Array.isArray(example) ? example[0] : example);
    if (asText(type).toUpperCase() === 'COPY_CODE') examples[`${root}button${index}`] = exampleText;
    const [key] = listPlaceholderKeys(asText(url));
    const [start = ''] = asText(url).split('{{');
    // Meta's example is a complete URL, but the parameter is only the end of the URL.
    if (key) {
      examples[`${root}button${index}.${key}`] = exampleText.startsWith(start)
        ? exampleText.slice(start.length)
        : exampleText;
    }
  }
  for (const [index, card] of listCards(components).entries())
    Object.assign(examples, readExamples(card, `card${index}.`));
  return examples;
}

/** Placeholders of a template are either all numbers, as in `{{1}}`, or all names. */
export function isNumbered(slots: readonly Slot[]): boolean {
  return slots.every(({ kind, key }) => kind === 'text' && isPositionKey(key));
}
