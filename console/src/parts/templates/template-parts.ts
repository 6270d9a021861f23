import { fillPlaceholders, isPosition, placeholderKeys } from '../../../../src/carriers/template-placeholders.js';
import type { TemplateComponent } from '../../../../src/carriers/content.js';

/** Meta's components, as the server holds them. */
export type Components = readonly Readonly<Record<string, unknown>>[];

export interface TemplateButton {
  type: string;
  text: string;
  url: string;
  phoneNumber: string;
}

/** What a phone shows of a template. */
export interface TemplateView {
  header: { format: string; text: string } | null;
  body: string;
  footer: string;
  buttons: readonly TemplateButton[];
}

/** A value that a template must be given before it can be sent. */
export interface Slot {
  id: string;
  part: 'header' | 'body' | 'button';
  /** Position or name in the text; empty for media and codes. */
  key: string;
  kind: 'text' | 'link' | 'code';
  /** The media of a header: `IMAGE` … */
  format?: string;
  /** Of a button among the buttons. */
  index?: number;
  /** From the template's own examples; empty where it has none. */
  example: string;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

function componentOf(components: Components, type: string): Record<string, unknown> | undefined {
  return components.find((each) => textOf(each.type).toUpperCase() === type);
}

export function readTemplate(components: Components): TemplateView {
  const header = componentOf(components, 'HEADER');
  return {
    header: header ? { format: (textOf(header.format) || 'TEXT').toUpperCase(), text: textOf(header.text) } : null,
    body: textOf(componentOf(components, 'BODY')?.text),
    footer: textOf(componentOf(components, 'FOOTER')?.text),
    buttons: listOf(componentOf(components, 'BUTTONS')?.buttons).map((each) => {
      const { type, text, url, phone_number } = recordOf(each);
      return {
        type: textOf(type).toUpperCase(),
        text: textOf(text),
        url: textOf(url),
        phoneNumber: textOf(phone_number),
      };
    }),
  };
}

const LINKED = ['IMAGE', 'VIDEO', 'DOCUMENT'];

/** Everything that a send of the template must fill in, from top to bottom. */
export function slotsOf(components: Components): Slot[] {
  const { header, body, buttons } = readTemplate(components);
  const slots: Slot[] = [];
  if (header && LINKED.includes(header.format)) {
    slots.push({ id: 'header', part: 'header', key: '', kind: 'link', format: header.format, example: '' });
  }
  const examples = examplesOf(components);
  const add = (part: Slot['part'], text: string, prefix: string, index?: number) => {
    for (const key of placeholderKeys(text)) {
      const id = `${prefix}.${key}`;
      slots.push({ id, part, key, kind: 'text', example: examples[id] ?? '', ...(index !== undefined && { index }) });
    }
  };
  if (header?.format === 'TEXT') add('header', header.text, 'header');
  add('body', body, 'body');
  for (const [index, button] of buttons.entries()) {
    if (button.type === 'URL') add('button', button.url, `button${index}`, index);
    if (button.type === 'COPY_CODE') {
      slots.push({ id: `button${index}`, part: 'button', key: '', kind: 'code', index, example: '' });
    }
  }
  return slots;
}

/** The examples that a template was handed in with, by slot. */
export function examplesOf(components: Components): Record<string, string> {
  const found: Record<string, string> = {};
  const read = (part: 'header' | 'body', listed: unknown, named: unknown) => {
    for (const [index, value] of listOf(listed).entries()) found[`${part}.${index + 1}`] = textOf(value);
    for (const each of listOf(named)) {
      const { param_name, example } = recordOf(each);
      found[`${part}.${textOf(param_name)}`] = textOf(example);
    }
  };
  const header = recordOf(componentOf(components, 'HEADER')?.example);
  read('header', header.header_text, header.header_text_named_params);
  const body = recordOf(componentOf(components, 'BODY')?.example);
  read('body', listOf(body.body_text)[0], body.body_text_named_params);
  for (const [index, button] of listOf(componentOf(components, 'BUTTONS')?.buttons).entries()) {
    const { url, example } = recordOf(button);
    const [key] = placeholderKeys(textOf(url));
    const [start = ''] = textOf(url).split('{{');
    const whole = textOf(Array.isArray(example) ? example[0] : example);
    // The example is the whole link, of which the parameter stands for the end.
    if (key) found[`button${index}.${key}`] = whole.startsWith(start) ? whole.slice(start.length) : whole;
  }
  return found;
}

/** A text with the values of its slots; those without one stay as they are written. */
export function fillText(text: string, prefix: string, values: Readonly<Record<string, string>>): string {
  const filled = placeholderKeys(text).flatMap((key) => {
    const value = values[`${prefix}.${key}`];
    return value ? ([[key, value]] as const) : [];
  });
  return fillPlaceholders(text, new Map(filled));
}

/** The components of a send, as Meta's Cloud API takes them. */
export function componentsOfSend(slots: readonly Slot[], values: Readonly<Record<string, string>>): TemplateComponent[] {
  const components: TemplateComponent[] = [];
  const parts = new Map<string, Slot[]>();
  for (const slot of slots) {
    const part = slot.part === 'button' ? `button ${slot.index}` : slot.part;
    parts.set(part, [...(parts.get(part) ?? []), slot]);
  }
  for (const own of parts.values()) {
    const [first] = own as [Slot];
    // Numbered parameters are taken in order.
    const sorted = own.every(({ key }) => isPosition(key))
      ? own.toSorted((a, b) => Number(a.key) - Number(b.key))
      : own;
    const parameters = sorted.map((slot) => parameterOf(slot, (values[slot.id] ?? '').trim()));
    if (first.part !== 'button') components.push({ type: first.part, parameters });
    else {
      const sub_type = first.kind === 'code' ? 'copy_code' : 'url';
      components.push({ type: 'button', sub_type, index: String(first.index), parameters });
    }
  }
  return components;
}

function parameterOf({ kind, key, format = '' }: Slot, value: string) {
  const type = format.toLowerCase();
  if (kind === 'link') return { type, [type]: { link: value } };
  if (kind === 'code') return { type: 'coupon_code', coupon_code: value };
  return { type: 'text', text: value, ...(key !== '' && !isPosition(key) && { parameter_name: key }) };
}
