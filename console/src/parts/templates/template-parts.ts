import { isPosition, placeholderKeys } from '../../../../src/carriers/template-placeholders.js';
import { type Components, cardsOf, componentOf, listOf, readTemplate, recordOf, textOf } from './template-view.js';

/** A value that a template must be given before it can be sent. */
export interface Slot {
  id: string;
  /** The card of a carousel, from 0; left out for the template itself. */
  card?: number;
  part: 'header' | 'body' | 'button' | 'offer';
  /** Position or name in a text, or the field of a place, a product or a list of products; else empty. */
  key: string;
  kind: 'text' | 'link' | 'code' | 'time' | 'place' | 'product' | 'products';
  /** The media of a header: `IMAGE` … */
  format?: string;
  /** Of a button among the buttons. */
  index?: number;
  /** From the template's own examples; empty where it has none. */
  example: string;
}

const LINKED = ['IMAGE', 'VIDEO', 'DOCUMENT'];
/** What a header must be told beside texts and files, and a button that shows a list of products. */
const PLACE = ['name', 'address', 'latitude', 'longitude'];
const PRODUCT = ['product_retailer_id', 'catalog_id'];
const PRODUCTS = ['title', 'product_ids'];

/** Everything that a send of the template must fill in, from top to bottom and from the first card to the last. */
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
  const at = `${root}header`;
  const ofHeader = (kind: Slot['kind'], keys: readonly string[]) => {
    for (const key of keys) slots.push({ id: `${at}.${key}`, part: 'header', key, kind, format, example: '' });
  };
  if (LINKED.includes(format)) slots.push({ id: at, part: 'header', key: '', kind: 'link', format, example: '' });
  if (format === 'LOCATION') ofHeader('place', PLACE);
  if (format === 'PRODUCT') ofHeader('product', PRODUCT);
  const examples = examplesOf(components, root);
  const add = (part: Slot['part'], text: string, prefix: string, index?: number) => {
    for (const key of placeholderKeys(text)) {
      const id = `${prefix}.${key}`;
      slots.push({ id, part, key, kind: 'text', example: examples[id] ?? '', ...(index !== undefined && { index }) });
    }
  };
  if (format === 'TEXT') add('header', header?.text ?? '', at);
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

/**
 * The examples that a template was handed in with, by slot; those of its cards too.
 * @param root with which the slots of a card begin
 */
export function examplesOf(components: Components, root = ''): Record<string, string> {
  const found: Record<string, string> = {};
  const read = (part: 'header' | 'body', listed: unknown, named: unknown) => {
    for (const [index, value] of listOf(listed).entries()) found[`${root}${part}.${index + 1}`] = textOf(value);
    for (const each of listOf(named)) {
      const { param_name, example } = recordOf(each);
      found[`${root}${part}.${textOf(param_name)}`] = textOf(example);
    }
  };
  const header = recordOf(componentOf(components, 'HEADER')?.example);
  read('header', header.header_text, header.header_text_named_params);
  const body = recordOf(componentOf(components, 'BODY')?.example);
  read('body', listOf(body.body_text)[0], body.body_text_named_params);
  for (const [index, button] of listOf(componentOf(components, 'BUTTONS')?.buttons).entries()) {
    const { type, url, example } = recordOf(button);
    const whole = textOf(Array.isArray(example) ? example[0] : example);
    if (textOf(type).toUpperCase() === 'COPY_CODE') found[`${root}button${index}`] = whole;
    const [key] = placeholderKeys(textOf(url));
    const [start = ''] = textOf(url).split('{{');
    // The example is the whole link, of which the parameter stands for the end.
    if (key) found[`${root}button${index}.${key}`] = whole.startsWith(start) ? whole.slice(start.length) : whole;
  }
  for (const [index, card] of cardsOf(components).entries()) Object.assign(found, examplesOf(card, `card${index}.`));
  return found;
}

/** Whether the slots of a text are taken in order, being numbered. */
export function isNumbered(slots: readonly Slot[]): boolean {
  return slots.every(({ kind, key }) => kind === 'text' && isPosition(key));
}
